import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BearerAuthenticator } from '../../access/index.js';
import { SecurityEventsModule } from '../security-events/index.js';
import { UsersModule } from '../users/index.js';
import { AccessTokens } from './access-tokens.js';
import { CredentialsReset } from './credentials-reset.js';
import { OwnSessions } from './own-sessions.service.js';
import { RecentSignInsReader } from './recent-sign-ins.reader.js';
import { RefreshToken } from './refresh-token.entity.js';
import { SessionBearers } from './session-bearers.js';
import { SessionLiveness } from './session-liveness.js';
import { Session } from './session.entity.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [DiscoveryModule, SecurityEventsModule, UsersModule, TypeOrmModule.forFeature([Session, RefreshToken])],
  controllers: [SessionsController],
  providers: [
    AccessTokens,
    CredentialsReset,
    OwnSessions,
    RecentSignInsReader,
    SessionLiveness,
    SessionsRepository,
    SessionsService,
    { provide: BearerAuthenticator, useClass: SessionBearers },
  ],
  exports: [AccessTokens, BearerAuthenticator, CredentialsReset, RecentSignInsReader, SessionLiveness, SessionsService],
})
export class SessionsModule {}
