import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Alerts and deliveries continue the trace of the request that caused them. `event_traces` keeps the trace of an event
 * for an hour, for projects with rules on events. Alerts and what waits to be sent keep it with their row.
 */
export class EventTraces1802850000000 implements MigrationInterface {
  readonly name = 'EventTraces1802850000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE event_traces (
        project_id uuid NOT NULL,
        event_id uuid NOT NULL,
        traceparent text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_event_traces PRIMARY KEY (project_id, event_id)
      )`);
    await q.query('CREATE INDEX ix_event_traces_created_at ON event_traces (created_at)');
    await q.query('ALTER TABLE alert_events ADD COLUMN traceparent text');
    await q.query('ALTER TABLE alert_deliveries ADD COLUMN traceparent text');
    await q.query('ALTER TABLE delivery_attempts ADD COLUMN traceparent text');
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE delivery_attempts DROP COLUMN traceparent');
    await q.query('ALTER TABLE alert_deliveries DROP COLUMN traceparent');
    await q.query('ALTER TABLE alert_events DROP COLUMN traceparent');
    await q.query('DROP TABLE event_traces');
  }
}
