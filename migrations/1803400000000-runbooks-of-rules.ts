import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of older versions neither write nor read the columns, so the rules that they create have none. */
export class RunbooksOfRules1803400000000 implements MigrationInterface {
  readonly name = 'RunbooksOfRules1803400000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE alert_rules ADD COLUMN runbook_url text, ADD COLUMN notes text');
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE alert_rules DROP COLUMN runbook_url, DROP COLUMN notes');
  }
}
