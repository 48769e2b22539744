import { Controller, Get, Inject, Post, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CONFIG, type Config } from '../../../../config/index.js';
import { apiBaseOf } from '../../../../platform/http/api-base.js';
import { Documented } from '../../../../platform/http/documented.js';
import { BodyBytes, type CheckedRequest, IdParam, Query, RawRequest } from '../../../../platform/http/inputs.js';
import { Public } from '../../../access/index.js';
import { SsoBrowser } from '../sso-browser.js';
import { SsoConnectionsRepository } from '../sso-connections.repository.js';
import { REPEATED, repeatPage } from './repeat-page.js';
import { SamlStartQuery } from './saml.dto.js';
import { SamlConnectionNotFound } from './saml.errors.js';
import { type PostedResponse, SamlSignInService } from './saml-sign-in.service.js';
import { addressesOf, metadataOf } from './service-provider.js';

/** Larger forms are refused before they are read. A response of 256 KiB takes less than a quarter of this size. */
const MAX_FORM_BYTES = 2 * 1024 * 1024;
const FORM = 'application/x-www-form-urlencoded';
const FORM_CONTENT = {
  [FORM]: {
    type: 'object',
    required: ['SAMLResponse'],
    properties: {
      SAMLResponse: { type: 'string', description: 'The response in base64, up to 256 KiB of XML' },
      RelayState: { type: 'string', description: 'As in the request. Absent when the provider began the sign-in' },
    },
  },
};
const METADATA_TYPE = 'application/samlmetadata+xml';
const LOCATION = { Location: 'The address to go to' };

@ApiTags('sso')
@Controller('sso/saml/:connection_id')
export class SamlController {
  constructor(
    private readonly signIn: SamlSignInService,
    private readonly browser: SsoBrowser,
    private readonly connections: SsoConnectionsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('metadata')
  @Public('providers read it without credentials')
  @Documented({
    operationId: 'getSamlMetadata',
    summary: 'Metadata of this service for a SAML provider',
    description:
      'The entity id is the address of this document. The assertion consumer service takes the POST binding. Response and assertion must be signed.',
    answer: { mediaType: METADATA_TYPE, description: 'An EntityDescriptor' },
    errors: [SamlConnectionNotFound],
  })
  async metadata(
    @IdParam('connection_id') connectionId: string,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const connection = await this.connections.enabled(connectionId);
    if (connection?.protocol !== 'saml') throw new SamlConnectionNotFound();
    response.type(METADATA_TYPE).send(await metadataOf(addressesOf(this.base(request), connectionId)));
  }

  @Get('start')
  @Public('starts a sign-in')
  @Documented({
    operationId: 'startSamlSignIn',
    summary: 'Sign in by a SAML provider',
    description:
      "Redirects the browser to the organization's provider (303) and sets the cookie that binds the sign-in to the browser for 10 minutes. A connection that is unknown or off redirects to the sign-in page with `error=sso_unknown_provider`.",
    status: 303,
    headers: LOCATION,
  })
  async start(
    @IdParam('connection_id') connectionId: string,
    @Query() { return_to: returnTo }: SamlStartQuery,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    try {
      const base = this.base(request);
      const address = await this.signIn.start({ connectionId, base, returnTo }, request, response);
      response.status(303).location(address).end();
    } catch (error) {
      await this.browser.refuse(error, connectionId, request, response);
    }
  }

  @Post('acs')
  @Public("the provider's signature is the proof")
  @Documented({
    operationId: 'takeSamlResponse',
    summary: 'Take the response of a SAML provider',
    description:
      'Redirects the browser to the console with its session (303), or to the sign-in page with a code in `error`. A form that another site posts comes without the cookie: then a page posts the form once more.',
    status: 303,
    headers: LOCATION,
  })
  @ApiResponse({
    status: 200,
    description: 'A page that posts the form once more',
    content: { 'text/html': { schema: { type: 'string' } } },
  })
  async acs(
    @IdParam('connection_id') connectionId: string,
    @BodyBytes({ maxBytes: MAX_FORM_BYTES, mediaTypes: [FORM], content: FORM_CONTENT }) body: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const form = new URLSearchParams(body.toString('utf8'));
    const posted = {
      connectionId,
      base: this.base(request),
      samlResponse: form.get('SAMLResponse') ?? '',
      relayState: form.get('RelayState') ?? '',
    };
    if (!form.has(REPEATED) && this.signIn.lacksCookie(posted, request)) {
      sendRepeatPage(posted, request, response);
      return;
    }
    try {
      const { result, returnTo } = await this.signIn.take(posted, request);
      this.browser.finish(result, returnTo, response);
    } catch (error) {
      await this.browser.refuse(error, connectionId, request, response);
    }
  }

  private base(request: CheckedRequest): string {
    return apiBaseOf(this.config.http.publicApiUrl, request);
  }
}

function sendRepeatPage(
  { samlResponse, relayState }: PostedResponse,
  request: CheckedRequest,
  response: Response,
): void {
  const { html, policy } = repeatPage(request.path, { SAMLResponse: samlResponse, RelayState: relayState });
  response.set('Content-Security-Policy', policy).status(200).type('html').send(html);
}
