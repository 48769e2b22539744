import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public, Requires, type UserScope } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { MessageResponse } from '../../../platform/http/message.dto.js';
import { Body, IdParam, Scope } from '../../../platform/http/inputs.js';
import { AccessTokenService } from './access-token.service.js';
import { CallingClient, type Client } from './client.js';
import { OwnSessionsService } from './own-sessions.service.js';
import {
  JwksResponse,
  RefreshRequest,
  RevokedSessionsResponse,
  SessionResponse,
  TokenResponse,
} from './sessions.dto.js';
import { InvalidRefreshToken, RefreshTokenReused, SessionNotFound } from './sessions.errors.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('auth')
@Controller('v1/auth')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly own: OwnSessionsService,
    private readonly accessTokens: AccessTokenService,
  ) {}

  @Post('refresh')
  @Public('the refresh token is the proof')
  @Documented({
    operationId: 'refreshSession',
    summary: 'Rotate the refresh token',
    description:
      'Using a rotated token again revokes the whole session. For 10 seconds the direct predecessor is answered with the same successor as before, so that a lost answer can be asked for again and two refreshes at once get the same token. Refreshing then from another address or user agent is a security event, which is mailed.',
    answer: TokenResponse,
    errors: [InvalidRefreshToken, RefreshTokenReused],
  })
  refresh(@Body() body: RefreshRequest, @CallingClient() client: Client): Promise<TokenResponse> {
    return this.sessions.refresh(body.refresh_token, client);
  }

  @Post('logout')
  @Public('the refresh token is the proof')
  @Documented({
    operationId: 'logOut',
    summary: "Revoke the refresh token's session",
    description: 'Succeeds also when no active session matches.',
    answer: MessageResponse,
  })
  async logout(@Body() body: RefreshRequest, @CallingClient() client: Client): Promise<MessageResponse> {
    await this.sessions.logout(body.refresh_token, client);
    return { message: 'Signed out' };
  }

  @Get('sessions')
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'listSessions',
    summary: "The user's sessions",
    description: 'The living ones, newest first.',
    answer: [SessionResponse],
  })
  list(@Scope() scope: UserScope): Promise<SessionResponse[]> {
    return this.own.list(scope);
  }

  @Post('sessions/revoke-others')
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'revokeOtherSessions',
    summary: 'Revoke all but the current session',
    description: 'The session that asks goes on; `revoked` counts those that ended.',
    answer: RevokedSessionsResponse,
  })
  revokeOthers(@Scope() scope: UserScope, @CallingClient() client: Client): Promise<RevokedSessionsResponse> {
    return this.own.revokeOthers(scope, client);
  }

  @Post('sessions/:session_id/revoke')
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'revokeSession',
    summary: 'Revoke one session',
    description: 'The current one too. Revoking again answers the same.',
    answer: MessageResponse,
    errors: [SessionNotFound],
  })
  revoke(
    @Scope() scope: UserScope,
    @IdParam('session_id') id: string,
    @CallingClient() client: Client,
  ): Promise<MessageResponse> {
    return this.own.revoke(scope, id, client);
  }

  @Get('jwks')
  @Public('public keys')
  @Documented({
    operationId: 'getJwks',
    summary: 'Public keys that verify access tokens',
    description: 'A JSON Web Key Set (RFC 7517).',
    answer: JwksResponse,
  })
  jwks(): object {
    return { keys: this.accessTokens.publicKeys() };
  }
}
