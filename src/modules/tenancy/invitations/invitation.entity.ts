import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, UserId } from '../../access/index.js';
import type { DeliveryStatus, InvitationRole, InvitationStatus } from './invitation-states.js';

/**
 * An offer of membership to an address. An ended invitation keeps the hash of its last token, so that its link can be
 * distinguished from a wrong one.
 */
@Entity('invitations')
@Index('uq_invitations_pending', ['organizationId', 'emailKey'], { unique: true, where: `status = 'pending'` })
@Index('ix_invitations_organization_id', ['organizationId', 'createdAt'])
@Index('ix_invitations_expires_at', ['expiresAt'], { where: `status = 'pending'` })
@Check('ck_invitations_role', `role IN ('operator', 'viewer')`)
@Check('ck_invitations_status', `status IN ('pending', 'accepted', 'declined', 'revoked', 'expired')`)
@Check('ck_invitations_delivery_status', `delivery_status IN ('sent', 'failed', 'not_configured')`)
export class Invitation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_invitations' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: OrganizationId;

  /** The address as it was entered. It appears only in e-mails to this address. Responses mask it. */
  @Column('text')
  email!: string;

  @Index('ix_invitations_email_key')
  @Column('text', { name: 'email_key' })
  emailKey!: string;

  @Column('text')
  role!: InvitationRole;

  /** Stays `pending` after the expiry until maintenance stores `expired`. Reads report `expired` at once. */
  @Column('text', { default: 'pending' })
  status!: InvitationStatus;

  /** SHA-256 of the token in the latest e-mail. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  /**
   * The person who created the invitation or sent its latest e-mail. They must still have the right to invite when the
   * invitation is accepted. Null when their account was deleted.
   */
  @Index('ix_invitations_invited_by')
  @Column('uuid', { name: 'invited_by', nullable: true })
  invitedBy!: UserId | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'last_sent_at', default: () => 'now()' })
  lastSentAt!: Date;

  /** The result of sending the latest e-mail. It is `failed` until the result is known. */
  @Column('text', { name: 'delivery_status', default: 'failed' })
  deliveryStatus!: DeliveryStatus;
}
