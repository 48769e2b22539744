import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, type CheckedRequest, FormBody, Query, RawRequest, TextParam } from '../../../../platform/http/inputs.js';
import { MessageResponse } from '../../../../platform/http/message.dto.js';
import {
  BackChannelLogoutRequest,
  DiscoverSsoRequest,
  CompanyProvidersResponse,
  OidcCallbackQuery,
  SsoProvidersResponse,
  SsoStartQuery,
} from './oidc.dto.js';
import { InvalidLogoutToken } from './oidc.errors.js';
import { OidcLogoutService } from './oidc-logout.service.js';
import { OidcSignInService } from './oidc-sign-in.service.js';
import { SsoDiscoveryService } from './sso-discovery.service.js';

const NAME = { min: 1, max: 40 };
const LOCATION = { Location: 'The address to go to' };

@ApiTags('sso')
@Controller('sso')
export class OidcController {
  constructor(
    private readonly discovery: SsoDiscoveryService,
    private readonly signIn: OidcSignInService,
    private readonly logout: OidcLogoutService,
  ) {}

  @Get('providers')
  @Public('what the sign-in page offers')
  @Documented({
    operationId: 'listSsoProviders',
    summary: 'Providers of companies that the deployment has set up',
    description:
      'The providers of organizations are not listed. POST /sso/discover finds them when `by_address` is true.',
    answer: SsoProvidersResponse,
  })
  providers(): Promise<SsoProvidersResponse> {
    return this.discovery.providers();
  }

  @Post('discover')
  @Public('where somebody signs in, which depends on the domain alone')
  @Documented({
    operationId: 'discoverSso',
    summary: 'Where people of a domain sign in',
    description:
      'Answers the providers of the organization that has verified the domain of the address. Says nothing about accounts: every address of a domain is answered the same.',
    answer: CompanyProvidersResponse,
  })
  async discover(@Body() body: DiscoverSsoRequest): Promise<CompanyProvidersResponse> {
    return { providers: await this.discovery.discover(body.email) };
  }

  @Get('oidc/:provider/start')
  @Public('starts a sign-in')
  @Documented({
    operationId: 'startOidcSignIn',
    summary: 'Start a sign-in by OpenID Connect',
    description:
      'For browsers. Goes on to the provider, and binds the sign-in to this browser by a cookie. `provider` is the name of a configured provider or the id of an organization’s connection. A refused sign-in goes to the sign-in page with an `error`. A malformed request is 422, and a request above the rate limit is 429.',
    status: 303,
    headers: LOCATION,
  })
  start(
    @TextParam('provider', NAME) provider: string,
    @Query() query: SsoStartQuery,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.signIn.start(provider, query.return_to, request, response);
  }

  @Get('oidc/:provider/callback')
  @Public("the provider's code is the proof")
  @Documented({
    operationId: 'finishOidcSignIn',
    summary: 'Complete a sign-in by OpenID Connect',
    description:
      'The redirect URI to register at the provider. Signs the browser in to the console, or goes to the challenge of the second factor. A refused sign-in goes to the sign-in page with an `error`. A malformed request is 422, and a request above the rate limit is 429.',
    status: 303,
    headers: LOCATION,
  })
  finish(
    @TextParam('provider', NAME) provider: string,
    @Query() query: OidcCallbackQuery,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.signIn.finish(provider, query, request, response);
  }

  @Post('oidc/:provider/backchannel-logout')
  @Public("the provider's signature is the proof")
  @Documented({
    operationId: 'endOidcSessions',
    summary: 'End sessions that the provider has ended',
    description:
      'OpenID Connect Back-Channel Logout 1.0. Ends the sessions of the subject, or of one session at the provider, at once on this instance and within 5 seconds on every other. A token is accepted once.',
    answer: MessageResponse,
    errors: [InvalidLogoutToken],
  })
  async endSessions(
    @TextParam('provider', NAME) provider: string,
    @FormBody() form: BackChannelLogoutRequest,
    @RawRequest() request: CheckedRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageResponse> {
    response.set('Cache-Control', 'no-store');
    await this.logout.byProvider(provider, form.logout_token, request);
    return { message: 'Signed out' };
  }
}
