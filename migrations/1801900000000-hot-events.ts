import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Since when PostgreSQL has events; those of months before are in the event store alone. */
export class HotEvents1801900000000 implements MigrationInterface {
  readonly name = 'HotEvents1801900000000';

  async up(q: QueryRunner): Promise<void> {
    // One row at most, and none where PostgreSQL has every event. "since": when it was said; months go some minutes later, when
    // every process knows.
    await q.query(`
      CREATE TABLE hot_events (
        is_only boolean NOT NULL DEFAULT true,
        hot_from timestamptz(3) NOT NULL,
        since timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT pk_hot_events PRIMARY KEY (is_only),
        CONSTRAINT ck_hot_events_is_only CHECK (is_only)
      )`);
    // What the event store had of a month when PostgreSQL dropped it: less than that tells that it was lost there.
    await q.query(`
      CREATE TABLE cold_months (
        project_id uuid NOT NULL,
        month timestamptz(3) NOT NULL,
        events bigint NOT NULL,
        CONSTRAINT pk_cold_months PRIMARY KEY (project_id, month)
      )`);
    await q.query(`
      CREATE FUNCTION events_hot_from() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS
      $$ SELECT greatest(events_retained_from(), (SELECT hot_from FROM hot_events)) $$`);
    await this.endShipping(
      q,
      `
        IF EXISTS (SELECT FROM hot_events) THEN
          RAISE EXCEPTION 'months of events are in the event store alone';
        END IF;`,
    );
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      DO $$ BEGIN
        IF EXISTS (SELECT FROM cold_months) THEN
          RAISE EXCEPTION 'months of events are in the event store alone';
        END IF;
      END $$`);
    await this.endShipping(q, '');
    await q.query('DROP FUNCTION events_hot_from');
    await q.query('DROP TABLE cold_months, hot_events');
  }

  /** @param first what it does before anything else */
  private async endShipping(q: QueryRunner, first: string): Promise<void> {
    await q.query(`
      CREATE OR REPLACE FUNCTION end_event_shipping() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN${first}
        LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE;
        DROP TRIGGER IF EXISTS keep_for_shipping ON events;
        TRUNCATE event_shipments, event_shipping;
      END $$`);
  }
}
