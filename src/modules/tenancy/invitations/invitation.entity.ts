import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, UserId } from '../../access/index.js';
import type { DeliveryStatus, InvitationRole, InvitationStatus } from './invitation-states.js';

/** An offer of membership to an address. An ended one keeps its last token's hash, so that the link can be told apart from a wrong one. */
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

  /** As given; leaves the service in mails to itself alone. */
  @Column('text')
  email!: string;

  @Index('ix_invitations_email_key')
  @Column('text', { name: 'email_key' })
  emailKey!: string;

  @Column('text')
  role!: InvitationRole;

  /** `pending` also for a while after it has expired, until maintenance has seen it. */
  @Column('text', { default: 'pending' })
  status!: InvitationStatus;

  /** SHA-256 of the token mailed last. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  /** Whose right to invite it rests on: who made it or mailed it last. Null: that account is gone. */
  @Index('ix_invitations_invited_by')
  @Column('uuid', { name: 'invited_by', nullable: true })
  invitedBy!: UserId | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'last_sent_at', default: () => 'now()' })
  lastSentAt!: Date;

  /** Of the mail sent last; `failed` until its result is known. */
  @Column('text', { name: 'delivery_status', default: 'failed' })
  deliveryStatus!: DeliveryStatus;
}
