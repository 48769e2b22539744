import {
  BooleanField,
  DateTimeField,
  EmailField,
  EnumField,
  IntField,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import type { AuditEvent } from '../../identity/audit/index.js';
import { maskedAddress } from '../../identity/users/index.js';
import type { Invitation } from './invitation.entity.js';
import { ACTS, type InvitationAct, type InvitationAuditDetail, OUTCOMES } from './invitation-audit.writer.js';
import { INVITATION_REFUSALS, type InvitationRefusal } from './invitations.errors.js';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  INVITATION_ROLES,
  INVITATION_STATUSES,
  type InvitationRole,
  type InvitationStatus,
} from './invitation-states.js';

export class CreateInvitationRequest {
  @EmailField({ example: 'ada@example.com', description: 'Of the person to invite' })
  email!: string;

  @EnumField(INVITATION_ROLES, { optional: true, default: 'operator', description: 'What its holder may do' })
  role!: InvitationRole;
}

export class AcceptInvitationRequest {
  @TextField({
    min: 10,
    max: 512,
    optional: true,
    secret: true,
    description: 'The token of the mailed link; left out, the verified address alone is the proof',
  })
  token?: string;
}

export class InvitationAuditsQuery {
  @IntField({ min: 1, max: 500, optional: true, default: 50, description: 'How many a page has at most' })
  limit!: number;
}

export class InvitationResponse {
  @UuidField({})
  id!: string;

  @UuidField({ description: 'The organization that is joined' })
  organization_id!: string;

  @TextField({ description: 'The masked address', example: 'a***@example.com' })
  email!: string;

  @EnumField(INVITATION_ROLES, { description: 'What its holder may do' })
  role!: InvitationRole;

  @EnumField(INVITATION_STATUSES, { description: 'What became of the invitation' })
  status!: InvitationStatus;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'Seven days after the last mail' })
  expires_at!: string;

  @DateTimeField({ description: 'When it was last mailed' })
  last_sent_at!: string;

  @BooleanField({ description: 'Whether the mail server took the last mail' })
  email_sent!: boolean;

  @EnumField(DELIVERY_STATUSES, {
    description: '`not_configured`: the mail was captured, since no server is configured',
  })
  delivery_status!: DeliveryStatus;
}

export class ReceivedInvitationResponse {
  @UuidField({})
  id!: string;

  @TextField({ description: 'The name of the organization that is joined', example: 'Acme' })
  organization_name!: string;

  @EnumField(INVITATION_ROLES, { description: 'What its holder may do' })
  role!: InvitationRole;

  @TextField({
    nullable: true,
    description: 'The name or masked address of the person who mailed the invitation; null: that account was deleted',
    example: 'Ada',
  })
  invited_by!: string | null;

  @EnumField(INVITATION_STATUSES, { description: 'What became of the invitation' })
  status!: InvitationStatus;

  @DateTimeField({ description: 'Seven days after the last mail' })
  expires_at!: string;
}

export class AcceptedInvitationResponse {
  @UuidField({ description: 'The organization that was joined' })
  organization_id!: string;

  @EnumField(INVITATION_ROLES, { description: 'What its holder may do' })
  role!: InvitationRole;

  @EnumField(['accepted'], { description: 'Of the invitation' })
  status!: 'accepted';
}

export class InvitationAuditResponse {
  @UuidField({})
  id!: string;

  @EnumField(Object.keys(ACTS) as InvitationAct[], { description: 'What is done' })
  action!: InvitationAct;

  @EnumField(OUTCOMES, { description: 'What came of it' })
  outcome!: (typeof OUTCOMES)[number];

  @EnumField(INVITATION_REFUSALS, { nullable: true, description: 'Why it was refused; null: it was done' })
  reason_code!: InvitationRefusal | null;

  @EnumField(INVITATION_ROLES, { description: 'The role the invitation offers' })
  requested_role!: InvitationRole;

  @TextField({ nullable: true, description: 'Null: not an act over HTTP' })
  request_id!: string | null;

  @UuidField({ nullable: true, description: 'Null: refused before there was one' })
  invitation_id!: string | null;

  @DateTimeField({})
  created_at!: string;
}

export function invitationResponse(invitation: Invitation): InvitationResponse {
  return {
    id: invitation.id,
    organization_id: invitation.organizationId,
    email: maskedAddress(invitation.email),
    role: invitation.role,
    status: invitation.status,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
    last_sent_at: invitation.lastSentAt.toISOString(),
    email_sent: invitation.deliveryStatus === 'sent',
    delivery_status: invitation.deliveryStatus,
  };
}

export function invitationAuditResponse(event: AuditEvent): InvitationAuditResponse {
  const { act, outcome, reason_code, requested_role } = event.detail as unknown as InvitationAuditDetail;
  return {
    id: event.id,
    action: act,
    outcome,
    reason_code,
    requested_role,
    request_id: event.requestId,
    invitation_id: event.targetId,
    created_at: event.createdAt.toISOString(),
  };
}
