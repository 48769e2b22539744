import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rules tell when their evaluation fails, and remember whether they were linked once what they link is deleted. */
export class RuleFailures1795221000000 implements MigrationInterface {
  readonly name = 'RuleFailures1795221000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE alert_rules ADD COLUMN last_error_at timestamptz');
    await q.query('ALTER TABLE alert_rules ADD COLUMN is_linked boolean NOT NULL DEFAULT false');
    // Errors were written as they came and are shown from now on: what still fails says so in a sentence of ours.
    await q.query('UPDATE alert_rules SET last_error = NULL WHERE last_error IS NOT NULL');
    await q.query(`
      UPDATE alert_rules r SET is_linked = true
      WHERE EXISTS (SELECT FROM alert_rule_destinations d WHERE d.rule_id = r.id)
         OR EXISTS (SELECT FROM alert_rule_channels c WHERE c.rule_id = r.id)`);
    await q.query(`
      ALTER TABLE alert_rules ADD CONSTRAINT ck_alert_rules_last_error
        CHECK ((last_error IS NULL) = (last_error_at IS NULL))`);
    await this.timelineTypes(q, [...TYPES, 'nobody_notified']);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DELETE FROM alert_timeline WHERE type = 'nobody_notified'`);
    await this.timelineTypes(q, TYPES);
    await q.query('ALTER TABLE alert_rules DROP CONSTRAINT ck_alert_rules_last_error');
    await q.query('ALTER TABLE alert_rules DROP COLUMN is_linked');
    await q.query('ALTER TABLE alert_rules DROP COLUMN last_error_at');
  }

  private async timelineTypes(q: QueryRunner, types: readonly string[]): Promise<void> {
    await q.query('ALTER TABLE alert_timeline DROP CONSTRAINT ck_alert_timeline_type');
    await q.query(`
      ALTER TABLE alert_timeline ADD CONSTRAINT ck_alert_timeline_type
        CHECK (type IN (${types.map((type) => `'${type}'`).join(', ')}))`);
  }
}

const TYPES = [
  'opened',
  'notified',
  'acknowledged',
  'snoozed',
  'snooze_ended',
  'resolved',
  'reopened',
  'assigned',
  'unassigned',
  'commented',
];
