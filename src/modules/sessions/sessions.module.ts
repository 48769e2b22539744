import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BearerAuthenticator } from '../../platform/access/index.js';
import { AccessTokens } from './access-tokens.js';
import { RecentSignIns } from './recent-sign-ins.js';
import { RefreshToken } from './refresh-token.entity.js';
import { SessionBearers } from './session-bearers.js';
import { SessionLiveness } from './session-liveness.js';
import { Session } from './session.entity.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Session, RefreshToken])],
  controllers: [SessionsController],
  providers: [
    AccessTokens,
    RecentSignIns,
    SessionLiveness,
    SessionsRepository,
    SessionsService,
    { provide: BearerAuthenticator, useClass: SessionBearers },
  ],
  exports: [BearerAuthenticator, RecentSignIns, SessionsService],
})
export class SessionsModule {}
