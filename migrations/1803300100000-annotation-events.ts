import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Settings have the event types that clients mark on time axes. The column has a default, because processes of older
 * versions do not write it.
 */
export class AnnotationEvents1803300100000 implements MigrationInterface {
  readonly name = 'AnnotationEvents1803300100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE project_settings ADD COLUMN annotation_events text[] NOT NULL DEFAULT '{deploy.*,release.*}'`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE project_settings DROP COLUMN annotation_events');
  }
}
