import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, Requires, type UserScope } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, IdParam, Query, Scope } from '../../../platform/http/inputs.js';
import { InvitationAnswersService } from './invitation-answers.service.js';
import { InvitedToAccept, InvitedToDecline } from './invitation-access.js';
import {
  AcceptedInvitationResponse,
  AcceptInvitationRequest,
  CreateInvitationRequest,
  InvitationAuditResponse,
  InvitationAuditsQuery,
  InvitationResponse,
} from './invitations.dto.js';
import {
  AlreadyMember,
  InvalidInvitationToken,
  InvitationAccepted,
  InvitationDeclined,
  InvitationExpired,
  InvitationLimit,
  InvitationNotFound,
  InvitationOfAnother,
  InvitationPending,
  InvitationRevoked,
  InviterWithoutRight,
  ResendTooSoon,
} from './invitations.errors.js';
import { OrganizationOfInvitation } from './invitations.repository.js';
import { InvitationsService } from './invitations.service.js';

const OVER_ERRORS = [InvitationAccepted, InvitationDeclined, InvitationRevoked, InvitationExpired];

@ApiTags('organizations')
@Controller('v1/organizations')
export class InvitationsController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly answers: InvitationAnswersService,
  ) {}

  @Get(':organization_id/invites')
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'listInvites',
    summary: 'Invitations',
    description: 'Newest first, at most 1000; addresses are masked.',
    answer: [InvitationResponse],
  })
  list(@Scope() scope: OrganizationScope, @IdParam('organization_id') _id: string): Promise<InvitationResponse[]> {
    return this.invitations.list(scope);
  }

  @Post(':organization_id/invites')
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'createInvite',
    summary: 'Invite by e-mail',
    description: 'The address needs no account yet. At most 100 in 24 hours and organization.',
    status: 201,
    answer: InvitationResponse,
    errors: [InvitationPending, AlreadyMember, InvitationLimit],
  })
  create(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @Body() body: CreateInvitationRequest,
  ): Promise<InvitationResponse> {
    return this.invitations.create(scope, body);
  }

  @Get(':organization_id/invitation-audits')
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'listInvitationAudits',
    summary: 'Invitation audit records',
    description: 'Newest first: every act on an invitation, done or refused.',
    answer: [InvitationAuditResponse],
  })
  audits(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @Query() query: InvitationAuditsQuery,
  ): Promise<InvitationAuditResponse[]> {
    return this.invitations.auditsOf(scope, query.limit);
  }

  @Post('invites/:invite_id/resend')
  @Requires({ organization: 'admin', via: OrganizationOfInvitation })
  @Documented({
    operationId: 'resendInvite',
    summary: 'Mail the invitation again',
    description: 'With a new token, which replaces the former, and seven more days. At most once a minute.',
    answer: InvitationResponse,
    errors: [InvitationNotFound, ...OVER_ERRORS, ResendTooSoon],
  })
  resend(@Scope() scope: OrganizationScope, @IdParam('invite_id') id: string): Promise<InvitationResponse> {
    return this.invitations.resend(scope, id);
  }

  @Post('invites/:invite_id/revoke')
  @Requires({ organization: 'admin', via: OrganizationOfInvitation })
  @Documented({
    operationId: 'revokeInvite',
    summary: 'Revoke',
    description: 'It can no longer be accepted.',
    answer: InvitationResponse,
    errors: [InvitationNotFound, ...OVER_ERRORS],
  })
  revoke(@Scope() scope: OrganizationScope, @IdParam('invite_id') id: string): Promise<InvitationResponse> {
    return this.invitations.revoke(scope, id);
  }

  @Post('invites/:invite_id/accept')
  @Requires({ addressee: InvitedToAccept })
  @Documented({
    operationId: 'acceptInvite',
    summary: 'Accept',
    description:
      'For the account whose verified address is the invited one, with or without the token. Whoever mailed the invitation last must still be an admin or the owner.',
    answer: AcceptedInvitationResponse,
    errors: [
      InvitationNotFound,
      InvitationOfAnother,
      InvalidInvitationToken,
      ...OVER_ERRORS,
      InviterWithoutRight,
      AlreadyMember,
    ],
  })
  accept(
    @Scope() scope: UserScope,
    @IdParam('invite_id') id: string,
    @Body() body: AcceptInvitationRequest,
  ): Promise<AcceptedInvitationResponse> {
    return this.answers.accept(scope, id, body.token);
  }

  @Post('invites/:invite_id/decline')
  @Requires({ addressee: InvitedToDecline })
  @Documented({
    operationId: 'declineInvite',
    summary: 'Decline',
    description: 'By the person who is invited; it cannot be accepted afterwards.',
    answer: InvitationResponse,
    errors: [InvitationNotFound, InvitationOfAnother, ...OVER_ERRORS],
  })
  decline(@Scope() scope: UserScope, @IdParam('invite_id') id: string): Promise<InvitationResponse> {
    return this.answers.decline(scope, id);
  }
}
