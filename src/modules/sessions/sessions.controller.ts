import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../platform/access/index.js';
import { Documented } from '../../platform/http/documented.js';
import { MessageResponse } from '../../platform/http/message.dto.js';
import { Body } from '../../platform/http/inputs.js';
import { AccessTokens } from './access-tokens.js';
import { JwksResponse, RefreshRequest, TokenResponse } from './sessions.dto.js';
import { InvalidRefreshToken, RefreshTokenReused } from './sessions.errors.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('auth')
@Controller('v1/auth')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly accessTokens: AccessTokens,
  ) {}

  @Post('refresh')
  @Public('the refresh token is the proof')
  @Documented({
    summary: 'Rotate the refresh token',
    description:
      'Using a rotated token again revokes the whole session. For 10 seconds the direct predecessor is answered with a fresh token, so that a lost answer can be asked for again; the one given before then ends.',
    answer: TokenResponse,
    errors: [InvalidRefreshToken, RefreshTokenReused],
  })
  refresh(@Body() body: RefreshRequest): Promise<TokenResponse> {
    return this.sessions.refresh(body.refresh_token);
  }

  @Post('logout')
  @Public('the refresh token is the proof')
  @Documented({
    summary: "Revoke the refresh token's session",
    description: 'Succeeds also when no active session matches.',
    answer: MessageResponse,
  })
  async logout(@Body() body: RefreshRequest): Promise<MessageResponse> {
    await this.sessions.logout(body.refresh_token);
    return { message: 'Signed out' };
  }

  @Get('jwks')
  @Public('public keys')
  @Documented({ summary: 'Public keys that verify access tokens', answer: JwksResponse })
  async jwks(): Promise<object> {
    return { keys: await this.accessTokens.publicKeys() };
  }
}
