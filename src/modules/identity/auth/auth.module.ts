import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProofModule } from '../proof/index.js';
import { SecurityEventsModule } from '../security-events/index.js';
import { SecondFactorsModule } from '../second-factors/index.js';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { AuthController } from './auth.controller.js';
import { AuthMails } from './auth-mails.js';
import { MailedLinks } from './mailed-links.js';
import { PasswordResetController } from './password-reset.controller.js';
import { PasswordReplacement } from './password-replacement.js';
import { PasswordResetService } from './password-reset.service.js';
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
    AuthMails,
    MailedLinks,
    PasswordReplacement,
    PasswordResetService,
    RegistrationService,
    SignInService,
    UserTokensRepository,
  ],
  exports: [SignInService, UserTokensRepository],
})
export class AuthModule {}
