import { Injectable } from '@nestjs/common';
import { type OrganizationId, organizationOf, type OrganizationScope, type UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Invitation } from './invitation.entity.js';
import { InvitationNotFound } from './invitations.errors.js';
import {
  type DeliveryStatus,
  type InvitationRole,
  type InvitationStatus,
  LIFE_DAYS,
  MOST_A_DAY,
  RESEND_PAUSE_SECONDS,
} from './invitation-states.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

export interface NewInvitation {
  readonly id: string;
  readonly email: string;
  readonly emailKey: string;
  readonly role: InvitationRole;
  readonly tokenHash: Buffer;
  readonly invitedBy: string;
}

/** An invitation that has expired, with the fields that its audit event needs. */
export type ExpiredInvitation = Pick<Invitation, 'id' | 'organizationId' | 'role'>;

const COLUMNS = `id, organization_id AS "organizationId", email, email_key AS "emailKey", role, token_hash AS "tokenHash",
  invited_by AS "invitedBy", created_at AS "createdAt", expires_at AS "expiresAt", last_sent_at AS "lastSentAt",
  delivery_status AS "deliveryStatus",
  CASE WHEN status = 'pending' AND expires_at <= now() THEN 'expired' ELSE status END AS status`;
/** Maximum number of invitations in a list. Older invitations are left out. */
const MOST_LISTED = 1_000;
const MOST_EXPIRED_AT_ONCE = 500;

/** Reads and writes invitations. Reads return the current status, by the clock of the database. */
@Injectable()
export class InvitationsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the invitations of an organization, newest first, at most {@link MOST_LISTED}. */
  list(scope: Tenant): Promise<Invitation[]> {
    return this.database.rows<Invitation>(
      `SELECT ${COLUMNS} FROM invitations WHERE organization_id = $1
       ORDER BY invitations.created_at DESC, id DESC LIMIT ${MOST_LISTED}`,
      [scope.organizationId],
    );
  }

  /**
   * Finds an invitation by its id only. The caller must check that it belongs to their organization or is addressed to
   * them.
   */
  async find(id: string, db?: Db): Promise<Invitation | null> {
    const [row] = await this.database.rows<Invitation>(
      `SELECT ${COLUMNS} FROM invitations WHERE id = $1 /* tenant: its organization, or whom it is meant for */`,
      [id],
      db,
    );
    return row ?? null;
  }

  /** Locks the row, so that operations on one invitation run one after another. */
  async lock(scope: Tenant, id: string, tx: Db): Promise<Invitation | null> {
    const [row] = await this.database.rows<Invitation>(
      `SELECT ${COLUMNS} FROM invitations WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
      [scope.organizationId, id],
      tx,
    );
    return row ?? null;
  }

  /**
   * Inserts an invitation. Returns false when the address already has a pending one, which a partial unique index
   * decides.
   */
  async insert(scope: Tenant, invitation: NewInvitation, tx: Db): Promise<boolean> {
    const { id, email, emailKey, role, tokenHash, invitedBy } = invitation;
    const inserted = await this.database.execute(
      `INSERT INTO invitations (id, organization_id, email, email_key, role, token_hash, invited_by, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(days => ${LIFE_DAYS}))
       ON CONFLICT (organization_id, email_key) WHERE status = 'pending' DO NOTHING`,
      [id, scope.organizationId, email, emailKey, role, tokenHash, invitedBy],
      tx,
    );
    return inserted === 1;
  }

  /** Returns how many invitations were created in the last 24 hours, with any status. */
  async countOfLastDay(scope: Tenant, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM invitations
       WHERE organization_id = $1 AND created_at > now() - interval '1 day'`,
      [scope.organizationId],
      tx,
    );
    return row?.count ?? 0;
  }

  /**
   * Returns the seconds, at least 1, after which fewer than {@link MOST_A_DAY} invitations were created in the last 24
   * hours, not counting this one.
   */
  async secondsUntilRoom(scope: Tenant, id: string, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ seconds: number }>(
      `SELECT greatest(1, ceil(extract(epoch FROM created_at + interval '1 day' - now())))::int AS seconds FROM invitations
       WHERE organization_id = $1 AND id <> $2 AND created_at > now() - interval '1 day'
       ORDER BY created_at DESC OFFSET ${MOST_A_DAY - 1} LIMIT 1`,
      [scope.organizationId, id],
      tx,
    );
    return row?.seconds ?? 1;
  }

  /** Returns the seconds, at least 1, until {@link renew} accepts the invitation. */
  async secondsUntilRenewal(scope: Tenant, id: string, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ seconds: number }>(
      `SELECT greatest(1, ceil(extract(epoch FROM last_sent_at - now()) + ${RESEND_PAUSE_SECONDS}))::int AS seconds
       FROM invitations WHERE organization_id = $1 AND id = $2`,
      [scope.organizationId, id],
      tx,
    );
    return row?.seconds ?? 1;
  }

  /**
   * Stores a new token and a new expiry. Returns false while the latest e-mail is less than {@link
   * RESEND_PAUSE_SECONDS} old.
   */
  async renew(
    scope: Tenant,
    id: string,
    { tokenHash, invitedBy }: { tokenHash: Buffer; invitedBy: string },
    tx: Db,
  ): Promise<boolean> {
    const renewed = await this.database.execute(
      `UPDATE invitations SET token_hash = $3, invited_by = $4, last_sent_at = now(), delivery_status = 'failed',
              expires_at = now() + make_interval(days => ${LIFE_DAYS})
       WHERE organization_id = $1 AND id = $2 AND status = 'pending'
         AND last_sent_at <= now() - make_interval(secs => ${RESEND_PAUSE_SECONDS})`,
      [scope.organizationId, id, tokenHash, invitedBy],
      tx,
    );
    return renewed === 1;
  }

  async end(scope: Tenant, id: string, status: Exclude<InvitationStatus, 'pending'>, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE invitations SET status = $3 WHERE organization_id = $1 AND id = $2',
      [scope.organizationId, id, status],
      tx,
    );
  }

  /** Stores the result of sending the e-mail with this token. Changes nothing when a later e-mail has another token. */
  async recordDelivery(scope: Tenant, id: string, tokenHash: Buffer, result: DeliveryStatus): Promise<void> {
    await this.database.execute(
      'UPDATE invitations SET delivery_status = $4 WHERE organization_id = $1 AND id = $2 AND token_hash = $3',
      [scope.organizationId, id, tokenHash, result],
    );
  }

  /**
   * Marks expired invitations and returns them: all of one address, or up to {@link MOST_EXPIRED_AT_ONCE} of all
   * organizations.
   */
  expire(tx: Db, of?: { organizationId: OrganizationId; emailKey: string }): Promise<ExpiredInvitation[]> {
    const where = of === undefined ? '' : 'AND organization_id = $1 AND email_key = $2';
    return this.database.rows<ExpiredInvitation>(
      `UPDATE /* every tenant: what has expired, or one address */ invitations SET status = 'expired' WHERE id IN (
         SELECT id FROM invitations WHERE status = 'pending' AND expires_at <= now() ${where}
         ORDER BY expires_at LIMIT ${MOST_EXPIRED_AT_ONCE} FOR UPDATE ${of === undefined ? 'SKIP LOCKED' : ''})
       RETURNING id, organization_id AS "organizationId", role`,
      of === undefined ? [] : [of.organizationId, of.emailKey],
      tx,
    );
  }

  async removeAllOf({ organizationId }: Tenant, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM invitations WHERE organization_id = $1', [organizationId], tx);
  }

  /** Deletes all invitations of an account's address, because the account is deleted. */
  async forgetAddressOf(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      'DELETE FROM invitations i USING users u WHERE u.id = $1 AND i.email_key = u.email_key',
      [userId],
      tx,
    );
  }
}

export class OrganizationOfInvitation extends organizationOf('invite_id', Invitation, InvitationNotFound) {}
