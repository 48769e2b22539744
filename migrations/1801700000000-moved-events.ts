import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the events that were stored before they were copied have been looked through, so that it goes on there. */
export class MovedEvents1801700000000 implements MigrationInterface {
  readonly name = 'MovedEvents1801700000000';

  async up(q: QueryRunner): Promise<void> {
    // The last event that was looked at, in the order of project, timestamp and id; null: none was. "moved_events" counts them.
    await q.query(`
      ALTER TABLE event_shipping ADD COLUMN moved_project uuid, ADD COLUMN moved_at timestamptz(3),
        ADD COLUMN moved_id uuid, ADD COLUMN moved_events bigint NOT NULL DEFAULT 0`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE event_shipping DROP COLUMN moved_project, DROP COLUMN moved_at, DROP COLUMN moved_id,
        DROP COLUMN moved_events`);
  }
}
