import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BearerAuthenticator } from '../../platform/access/index.js';
import { UsersModule } from '../users/index.js';
import { AccessTokens } from './access-tokens.js';
import { AuthController } from './auth.controller.js';
import { AuthMails } from './auth-mails.js';
import { AuthUpkeep } from './auth-upkeep.js';
import { RefreshToken } from './refresh-token.entity.js';
import { RegistrationService } from './registration.service.js';
import { SessionBearers } from './session-bearers.js';
import { SessionLiveness } from './session-liveness.js';
import { Session } from './session.entity.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';
import { UserToken } from './user-token.entity.js';
import { UserTokensRepository } from './user-tokens.repository.js';

@Module({
  imports: [UsersModule, TypeOrmModule.forFeature([Session, RefreshToken, UserToken])],
  controllers: [AuthController],
  providers: [
    AccessTokens,
    AuthMails,
    AuthUpkeep,
    RegistrationService,
    SessionLiveness,
    SessionsRepository,
    SessionsService,
    SignInService,
    UserTokensRepository,
    { provide: BearerAuthenticator, useClass: SessionBearers },
  ],
  exports: [BearerAuthenticator, AuthUpkeep],
})
export class AuthModule {}
