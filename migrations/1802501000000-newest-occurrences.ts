import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notices carry the newest occurrence of an alert, not the one that began it. Null: nothing newer is known. */
export class NewestOccurrences1802501000000 implements MigrationInterface {
  readonly name = 'NewestOccurrences1802501000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE alert_events ADD COLUMN newest_occurrence json');
    await q.query('ALTER TABLE alert_rule_firings ADD COLUMN last_event_at timestamptz');
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE alert_rule_firings DROP COLUMN last_event_at');
    await q.query('ALTER TABLE alert_events DROP COLUMN newest_occurrence');
  }
}
