import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One event of the block that was copied last: an event store that lacks it was restored to an earlier state. */
export class LastCopiedEvent1802000000000 implements MigrationInterface {
  readonly name = 'LastCopiedEvent1802000000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE event_shipping ADD COLUMN last_project uuid, ADD COLUMN last_at timestamptz(3), ADD COLUMN last_id uuid`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE event_shipping DROP COLUMN last_project, DROP COLUMN last_at, DROP COLUMN last_id`);
  }
}
