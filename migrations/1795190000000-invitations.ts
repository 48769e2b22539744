import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Invitations to organizations, and the way to their audit records. */
export class Invitations1795190000000 implements MigrationInterface {
  readonly name = 'Invitations1795190000000';

  async up(q: QueryRunner): Promise<void> {
    // Nobody vouches for an invitation whose inviter's account is gone: it stays, and cannot be accepted.
    await q.query(`
      CREATE TABLE invitations (
        id uuid NOT NULL,
        organization_id uuid NOT NULL,
        email text NOT NULL,
        email_key text NOT NULL,
        role text NOT NULL,
        status text NOT NULL DEFAULT 'pending',
        token_hash bytea NOT NULL,
        invited_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        last_sent_at timestamptz NOT NULL DEFAULT now(),
        delivery_status text NOT NULL DEFAULT 'failed',
        CONSTRAINT pk_invitations PRIMARY KEY (id),
        CONSTRAINT fk_invitations_organization_id FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT fk_invitations_invited_by FOREIGN KEY (invited_by) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT ck_invitations_role CHECK (role IN ('operator', 'viewer')),
        CONSTRAINT ck_invitations_status CHECK (status IN ('pending', 'accepted', 'declined', 'revoked', 'expired')),
        CONSTRAINT ck_invitations_delivery_status CHECK (delivery_status IN ('sent', 'failed', 'not_configured'))
      )`);
    await q.query(`
      CREATE UNIQUE INDEX uq_invitations_pending ON invitations (organization_id, email_key) WHERE status = 'pending'`);
    await q.query(`CREATE INDEX ix_invitations_organization_id ON invitations (organization_id, created_at)`);
    await q.query(`CREATE INDEX ix_invitations_email_key ON invitations (email_key)`);
    await q.query(`CREATE INDEX ix_invitations_invited_by ON invitations (invited_by)`);
    await q.query(`CREATE INDEX ix_invitations_expires_at ON invitations (expires_at) WHERE status = 'pending'`);
    await q.query(`
      CREATE INDEX ix_audit_events_invitations ON audit_events (organization_id, created_at)
      WHERE target_type = 'invitation'`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP INDEX ix_audit_events_invitations');
    await q.query('DROP TABLE invitations');
  }
}
