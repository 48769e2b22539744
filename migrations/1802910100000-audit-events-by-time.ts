import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An operator reads the newest audit events of all organizations. The index of a large table takes minutes. It has a
 * transaction of its own, because sign-in would wait for a transaction that has locked `users`.
 */
export class AuditEventsByTime1802910100000 implements MigrationInterface {
  readonly name = 'AuditEventsByTime1802910100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`CREATE INDEX ix_audit_events_created_at ON audit_events (created_at, id)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DROP INDEX ix_audit_events_created_at`);
  }
}
