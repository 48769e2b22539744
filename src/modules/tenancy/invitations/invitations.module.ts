import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../identity/audit/index.js';
import { onOrganizationDeleted, OrganizationsModule } from '../organizations/index.js';
import { onAccountDeleted, UsersModule } from '../../identity/users/index.js';
import { Invitation } from './invitation.entity.js';
import { InvitedTo, InvitedToAccept, InvitedToDecline, InvitedToRead } from './invitation-access.js';
import { InvitationAnswersService } from './invitation-answers.service.js';
import { InvitationAuditWriter } from './invitation-audit.writer.js';
import { InvitationExpiry } from './invitation-expiry.js';
import { InvitationMailer } from './invitation.mailer.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationsRepository, OrganizationOfInvitation } from './invitations.repository.js';
import { InvitationsService } from './invitations.service.js';
import { InvitedPersonFinder } from './invited-person.finder.js';
import { ReceivedInvitationController } from './received-invitation.controller.js';

@Module({
  imports: [AuditModule, OrganizationsModule, UsersModule, TypeOrmModule.forFeature([Invitation])],
  controllers: [InvitationsController, ReceivedInvitationController],
  providers: [
    InvitationsService,
    InvitationAnswersService,
    InvitationsRepository,
    InvitationAuditWriter,
    InvitationMailer,
    InvitationExpiry,
    onAccountDeleted(InvitationsRepository, (invitations, userId, tx) => invitations.forgetAddressOf(userId, tx)),
    onOrganizationDeleted(InvitationsRepository, (invitations, scope, tx) => invitations.removeAllOf(scope, tx)),
    InvitedPersonFinder,
    InvitedTo,
    InvitedToAccept,
    InvitedToDecline,
    InvitedToRead,
    OrganizationOfInvitation,
  ],
})
export class InvitationsModule {}
