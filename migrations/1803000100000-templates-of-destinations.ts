import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks of alert destinations may have a body of their own. The type `json` keeps the order of its members. */
export class TemplatesOfDestinations1803000100000 implements MigrationInterface {
  readonly name = 'TemplatesOfDestinations1803000100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE alert_destinations ADD COLUMN template json,
        ADD CONSTRAINT ck_alert_destinations_template CHECK (template IS NULL OR type = 'webhook')`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE alert_destinations DROP COLUMN template');
  }
}
