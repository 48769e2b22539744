import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Since when events are kept: those of months before were ended. */
export class EventRetention1801800000000 implements MigrationInterface {
  readonly name = 'EventRetention1801800000000';

  async up(q: QueryRunner): Promise<void> {
    // One row at most, and none where events are kept for ever. "since": when it was said; rows go some minutes later, when every
    // process knows.
    await q.query(`
      CREATE TABLE event_retention (
        is_only boolean NOT NULL DEFAULT true,
        retained_from timestamptz(3) NOT NULL,
        since timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT pk_event_retention PRIMARY KEY (is_only),
        CONSTRAINT ck_event_retention_is_only CHECK (is_only)
      )`);
    await q.query(`
      CREATE FUNCTION events_retained_from() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS
      $$ SELECT coalesce((SELECT retained_from FROM event_retention), '-infinity'::timestamptz) $$`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP FUNCTION events_retained_from');
    await q.query('DROP TABLE event_retention');
  }
}
