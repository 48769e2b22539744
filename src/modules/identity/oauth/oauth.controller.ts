import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body } from '../../../platform/http/inputs.js';
import { MfaChallengeResponse, SecondFactorLocked } from '../second-factors/index.js';
import { CallingClient, type Client, TokenResponse } from '../sessions/index.js';
import { AuthorizationService } from './authorization.service.js';
import { AuthorizeRequest, AuthorizeResponse, OAuthLoginRequest, ProviderResponse } from './oauth.dto.js';
import { OAuthLoginFailed, OAuthProviderNotConfigured } from './oauth.errors.js';
import { OAuthSignInService } from './oauth-sign-in.service.js';
import { ProviderRegistry } from './providers/provider.registry.js';

@ApiTags('auth')
@Controller('v1/auth/oauth')
export class OAuthController {
  constructor(
    private readonly providers: ProviderRegistry,
    private readonly authorization: AuthorizationService,
    private readonly signIn: OAuthSignInService,
  ) {}

  @Get('providers')
  @Public('what the sign-in page offers')
  @Documented({
    operationId: 'listOAuthProviders',
    summary: 'Enabled providers with client identifiers',
    description: 'Those that the deployment has set up; none is an empty list.',
    answer: [ProviderResponse],
  })
  list(): ProviderResponse[] {
    return this.providers.enabled().map(({ name, clientId }) => ({ provider: name, client_id: clientId }));
  }

  @Post('authorize')
  @Public('starts a sign-in')
  @Documented({
    operationId: 'authorizeOAuth',
    summary: 'Authorization URL with state, nonce and PKCE',
    description:
      'Starts a sign-in. Keep `state`, `nonce` and `code_verifier` in the browser and send it to `authorization_url`; compare the state when it comes back. The login with this nonce must come within 10 minutes, with the same provider, `redirect_uri` and `code_verifier`, and uses the nonce up whether or not it succeeds.',
    answer: AuthorizeResponse,
    errors: [OAuthProviderNotConfigured, OAuthLoginFailed],
  })
  authorize(@Body() body: AuthorizeRequest): Promise<AuthorizeResponse> {
    return this.authorization.authorize(body);
  }

  @Post('login')
  @Public("the provider's code is the proof")
  @Documented({
    operationId: 'logInWithOAuth',
    summary: 'Complete Google or Apple login by code exchange',
    description:
      "Answers tokens. Accounts are found by the provider's subject, whose sign-in stands for both factors once it is linked. The first sign-in links the account that has verified the same address; where that account has a second factor, it answers the challenge of POST /v1/auth/login instead, and the link is made when the challenge is passed. It makes an account when there is none, and takes over a registration whose address was never verified, dropping its password; it fails when the provider has not verified the address, or the account is linked to another subject of this provider. A client may build the authorization URL itself with a nonce of its own (and a code challenge, whose `code_verifier` it then sends); every nonce is accepted once.",
    answer: { oneOf: [TokenResponse, MfaChallengeResponse] },
    errors: [OAuthLoginFailed, OAuthProviderNotConfigured, SecondFactorLocked],
  })
  login(
    @Body() body: OAuthLoginRequest,
    @CallingClient() client: Client,
  ): Promise<TokenResponse | MfaChallengeResponse> {
    return this.signIn.login(body, client);
  }
}
