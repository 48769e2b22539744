import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Numbers the audit events from before the trigger, up to 0, in the order of their times. The trigger was created when
 * all of them had been committed, so no lock is needed, and acts continue.
 */
export class PositionsOfOldAuditEvents1803100100000 implements MigrationInterface {
  readonly name = 'PositionsOfOldAuditEvents1803100100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      INSERT INTO audit_positions (position, audit_event_id)
      SELECT row_number() OVER (ORDER BY e.created_at, e.id) - count(*) OVER (), e.id FROM audit_events e
      WHERE NOT EXISTS (SELECT FROM audit_positions p WHERE p.audit_event_id = e.id)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DELETE FROM audit_positions WHERE position <= 0');
  }
}
