import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Saved views have a kind. The column has a default, because processes of older versions do not write it. */
export class KindsOfViews1803300000000 implements MigrationInterface {
  readonly name = 'KindsOfViews1803300000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE saved_views
        ADD COLUMN kind text NOT NULL DEFAULT 'view',
        ADD CONSTRAINT ck_saved_views_kind CHECK (kind IN ('view', 'analysis', 'query', 'performance', 'dashboard'))`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE saved_views DROP COLUMN kind');
  }
}
