import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../identity/audit/index.js';
import { OrganizationsModule } from '../organizations/index.js';
import { onAccountDeleted, UsersModule } from '../../identity/users/index.js';
import { Invitation } from './invitation.entity.js';
import { InvitedTo, InvitedToAccept, InvitedToDecline } from './invitation-access.js';
import { InvitationAnswers } from './invitation-answers.service.js';
import { InvitationAudits } from './invitation-audits.js';
import { InvitationExpiry } from './invitation-expiry.js';
import { InvitationMails } from './invitation-mails.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationsRepository, OrganizationOfInvitation } from './invitations.repository.js';
import { InvitationsService } from './invitations.service.js';
import { InvitedPerson } from './invited-person.js';

@Module({
  imports: [AuditModule, OrganizationsModule, UsersModule, TypeOrmModule.forFeature([Invitation])],
  controllers: [InvitationsController],
  providers: [
    InvitationsService,
    InvitationAnswers,
    InvitationsRepository,
    InvitationAudits,
    InvitationMails,
    InvitationExpiry,
    onAccountDeleted(InvitationsRepository, (invitations, userId, tx) => invitations.forgetAddressOf(userId, tx)),
    InvitedPerson,
    InvitedTo,
    InvitedToAccept,
    InvitedToDecline,
    OrganizationOfInvitation,
  ],
})
export class InvitationsModule {}
