import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What was stored and is not in the event store yet. Nothing is written here until `begin_event_shipping` was called: only
 * then does `events` have the trigger, so whoever has no event store pays nothing.
 */
export class EventShipping1800000000000 implements MigrationInterface {
  readonly name = 'EventShipping1800000000000';

  async up(q: QueryRunner): Promise<void> {
    // A project's events of one statement, at most 1,000 of them and, but for a single one, about 8 MB. Rows come in the
    // transaction of their events and leave in that which says that they were copied.
    await q.query(`
      CREATE TABLE event_shipments (
        position bigint GENERATED ALWAYS AS IDENTITY,
        project_id uuid NOT NULL,
        timestamps timestamptz(3)[] NOT NULL,
        ids uuid[] NOT NULL,
        bytes bigint NOT NULL,
        stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT pk_event_shipments PRIMARY KEY (position)
      ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)`);
    await q.query('CREATE INDEX ix_event_shipments_project_id ON event_shipments (project_id)');

    // One row while events are copied. Blocks are numbered from 1; "block" was copied, and the next one is what "taken" names.
    // "id" tells this beginning from another one; "is_whole" says that every event since the first one was copied or is among event_shipments.
    await q.query(`
      CREATE TABLE event_shipping (
        is_only boolean NOT NULL DEFAULT true,
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        begun_at timestamptz NOT NULL DEFAULT now(),
        is_whole boolean NOT NULL,
        block bigint NOT NULL DEFAULT 0,
        taken bigint[],
        CONSTRAINT pk_event_shipping PRIMARY KEY (is_only),
        CONSTRAINT ck_event_shipping_is_only CHECK (is_only)
      )`);

    await q.query(`
      CREATE FUNCTION keep_for_shipping() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO event_shipments (project_id, timestamps, ids, bytes)
        SELECT n.project_id, array_agg(n."timestamp"), array_agg(n.id), sum(n.size)
        FROM (
          SELECT s.project_id, s."timestamp", s.id, s.size, row_number() OVER w AS number, sum(s.size) OVER w AS total
          FROM (SELECT i.project_id, i."timestamp", i.id, 300 + coalesce(i.bytes, 0)::bigint AS size FROM inserted i) s
          WINDOW w AS (PARTITION BY s.project_id ROWS UNBOUNDED PRECEDING)) n
        GROUP BY n.project_id, (n.number - 1) / 1000, div(n.total, 8388608);
        RETURN NULL;
      END $$`);

    // Waits for whoever stores events, and lets nobody begin meanwhile: each statement is before it or kept.
    await q.query(`
      CREATE FUNCTION begin_event_shipping() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM event_shipping) THEN RETURN; END IF;
        LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE;
        IF EXISTS (SELECT FROM event_shipping) THEN RETURN; END IF;
        CREATE TRIGGER keep_for_shipping AFTER INSERT ON events
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_for_shipping();
        INSERT INTO event_shipping (is_whole) VALUES (NOT EXISTS (SELECT FROM events));
      END $$`);
    await q.query(`
      CREATE FUNCTION end_event_shipping() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE;
        DROP TRIGGER IF EXISTS keep_for_shipping ON events;
        TRUNCATE event_shipments, event_shipping;
      END $$`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('SELECT end_event_shipping()');
    await q.query('DROP FUNCTION end_event_shipping');
    await q.query('DROP FUNCTION begin_event_shipping');
    await q.query('DROP FUNCTION keep_for_shipping');
    await q.query('DROP TABLE event_shipping, event_shipments');
  }
}
