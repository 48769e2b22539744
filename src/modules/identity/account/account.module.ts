import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/index.js';
import { AuthModule } from '../auth/index.js';
import { ProofModule } from '../proof/index.js';
import { SecondFactorsModule } from '../second-factors/index.js';
import { SecurityEventsModule } from '../security-events/index.js';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { AccountAdministrationService } from './account-administration.service.js';
import { AccountClosureService } from './account-closure.service.js';
import { AccountController } from './account.controller.js';
import { AccountMailer } from './account.mailer.js';
import { AccountService } from './account.service.js';
import { EmailChangeConfirmationService } from './email-change-confirmation.service.js';
import { EmailChangeService } from './email-change.service.js';
import { PasswordChangeService } from './password-change.service.js';

@Module({
  imports: [
    AuditModule,
    AuthModule,
    ProofModule,
    SecondFactorsModule,
    SecurityEventsModule,
    SessionsModule,
    UsersModule,
  ],
  controllers: [AccountController],
  providers: [
    AccountAdministrationService,
    AccountClosureService,
    AccountMailer,
    AccountService,
    EmailChangeConfirmationService,
    EmailChangeService,
    PasswordChangeService,
  ],
})
export class AccountModule {}
