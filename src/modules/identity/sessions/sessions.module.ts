import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BearerAuthenticator } from '../../access/index.js';
import { SecurityEventsModule } from '../security-events/index.js';
import { UsersModule } from '../users/index.js';
import { AccessTokenService } from './access-token.service.js';
import { CredentialsResetNotifier } from './credentials-reset.notifier.js';
import { OwnSessionsService } from './own-sessions.service.js';
import { RecentSignInsReader } from './recent-sign-ins.reader.js';
import { RefreshToken } from './refresh-token.entity.js';
import { SessionBearerAuthenticator } from './session-bearer.authenticator.js';
import { SessionLivenessCache } from './session-liveness.cache.js';
import { SessionCookie } from './session-cookie.js';
import { Session } from './session.entity.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [DiscoveryModule, SecurityEventsModule, UsersModule, TypeOrmModule.forFeature([Session, RefreshToken])],
  controllers: [SessionsController],
  providers: [
    AccessTokenService,
    CredentialsResetNotifier,
    OwnSessionsService,
    RecentSignInsReader,
    SessionCookie,
    SessionLivenessCache,
    SessionsRepository,
    SessionsService,
    { provide: BearerAuthenticator, useClass: SessionBearerAuthenticator },
  ],
  exports: [
    AccessTokenService,
    BearerAuthenticator,
    CredentialsResetNotifier,
    RecentSignInsReader,
    SessionCookie,
    SessionLivenessCache,
    SessionsService,
  ],
})
export class SessionsModule {}
