import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks of alert destinations may have a body of their own. The type `json` keeps the order of its members. Processes
 * of the version before write `target_url` but not `template_url`, so the two differ after such a write.
 */
export class TemplatesOfDestinations1803000100000 implements MigrationInterface {
  readonly name = 'TemplatesOfDestinations1803000100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE alert_destinations ADD COLUMN template json, ADD COLUMN template_url text,
        ADD CONSTRAINT ck_alert_destinations_template CHECK (template IS NULL OR type = 'webhook'),
        ADD CONSTRAINT ck_alert_destinations_template_url CHECK ((template IS NULL) = (template_url IS NULL))`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE alert_destinations DROP COLUMN template_url, DROP COLUMN template');
  }
}
