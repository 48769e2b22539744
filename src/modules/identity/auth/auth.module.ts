import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProofModule } from '../proof/index.js';
import { SecurityEventsModule } from '../security-events/index.js';
import { SecondFactorsModule } from '../second-factors/index.js';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { AuthController } from './auth.controller.js';
import { AuthMailer } from './auth.mailer.js';
import { CurrentUserService } from './current-user.service.js';
import { EmailVerificationService } from './email-verification.service.js';
import { MailedLinksService } from './mailed-links.service.js';
import { MailedTokensService } from './mailed-tokens.service.js';
import { PasswordResetController } from './password-reset.controller.js';
import { PasswordReplacementService } from './password-replacement.service.js';
import { PasswordResetService } from './password-reset.service.js';
import { PasswordUpgradeService } from './password-upgrade.service.js';
import { RegistrationRecorder } from './registration.recorder.js';
import { RegistrationService } from './registration.service.js';
import { SignInService } from './sign-in.service.js';
import { UserToken } from './user-token.entity.js';
import { UserTokensRepository } from './user-tokens.repository.js';

@Module({
  imports: [
    ProofModule,
    SecondFactorsModule,
    SecurityEventsModule,
    SessionsModule,
    UsersModule,
    TypeOrmModule.forFeature([UserToken]),
  ],
  controllers: [AuthController, PasswordResetController],
  providers: [
    AuthMailer,
    CurrentUserService,
    EmailVerificationService,
    MailedLinksService,
    MailedTokensService,
    PasswordReplacementService,
    PasswordResetService,
    PasswordUpgradeService,
    RegistrationRecorder,
    RegistrationService,
    SignInService,
    UserTokensRepository,
  ],
  exports: [CurrentUserService, MailedTokensService],
})
export class AuthModule {}
