import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../../config/index.js';
import { sha256 } from '../../../../platform/crypto/index.js';
import { apiBaseOf } from '../../../../platform/http/api-base.js';
import { OAuthFault, ProviderUnreachable } from '../../../identity/oauth/index.js';
import { clientOf } from '../../../identity/sessions/index.js';
import { derived, SsoBrowser } from '../sso-browser.js';
import { SsoFault } from '../sso-fault.js';
import { SsoSignInService } from '../sso-sign-in.service.js';
import type { OidcCallbackQuery } from './oidc.dto.js';
import { nameOf, OidcPartiesService } from './oidc-parties.service.js';

/** Signs people in through an OpenID Connect provider: authorization code flow with PKCE, state and nonce. */
@Injectable()
export class OidcSignInService {
  constructor(
    private readonly parties: OidcPartiesService,
    private readonly browser: SsoBrowser,
    private readonly signIn: SsoSignInService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Redirects the browser to the provider, or to the sign-in page when the sign-in is refused. */
  async start(id: string, returnTo: string | undefined, request: Request, response: Response): Promise<void> {
    this.browser.keepReturnTo(returnTo, request);
    try {
      const party = await this.parties.find(id);
      await party.requireReady();
      const { state, secret } = await this.browser.begin(party.id, null, request, response);
      const url = await party.connection.authorizationUrl({
        redirectUri: this.redirectUri(party.id, request),
        state,
        nonce: derived(secret, 'nonce'),
        codeChallenge: sha256(derived(secret, 'code verifier')).toString('base64url'),
      });
      response.set('Cache-Control', 'no-store').redirect(303, url);
    } catch (error) {
      await this.browser.refuse(ssoFaultOf(error), nameOf(error, id), request, response);
    }
  }

  /**
   * Signs in the browser that the provider has redirected back. When this is refused, redirects it to the sign-in page.
   */
  async finish(id: string, query: OidcCallbackQuery, request: Request, response: Response): Promise<void> {
    try {
      const party = await this.parties.find(id);
      const { connection, settings, label } = party;
      const { secret, returnTo } = await this.browser.take(party.id, query.state, request);
      if (!(await connection.isOwnCallback(query.iss))) throw new OAuthFault('the callback came from another issuer');
      if (query.code === undefined) throw new OAuthFault(`the provider answered ${errorCodeOf(query.error)}`);
      const redemption = {
        code: query.code,
        redirectUri: this.redirectUri(party.id, request),
        nonce: derived(secret, 'nonce'),
        codeVerifier: derived(secret, 'code verifier'),
      };
      const needsGroups = await party.needsGroups();
      const { person, idToken } = await connection.redeemOfCompany(redemption, { ...settings, needsGroups });
      const endsSessions = (await connection.endSessionEndpoint()) !== null;
      const result = await this.signIn.signIn({
        ...(await party.admissionOf(person)),
        provider: party.id,
        label,
        providerSession: person.providerSession,
        ...(endsSessions && { idToken }),
        client: clientOf(request),
      });
      this.browser.finish(result, returnTo, response);
    } catch (error) {
      await this.browser.refuse(ssoFaultOf(error), nameOf(error, id), request, response);
    }
  }

  private redirectUri(id: string, request: Request): string {
    return `${apiBaseOf(this.config.http.publicApiUrl, request)}/sso/oidc/${id}/callback`;
  }
}

/** Returns the error for the sign-in page. An error that is not caused by the sign-in is returned unchanged. */
function ssoFaultOf(error: unknown): unknown {
  if (error instanceof ProviderUnreachable) return new SsoFault('sso_provider_unreachable', error.message);
  return error instanceof OAuthFault ? new SsoFault('sso_failed', error.message) : error;
}

/** Returns the provider's error code for the log. A text in another form is not logged. */
function errorCodeOf(error: string | undefined): string {
  return error !== undefined && /^[a-z_]{1,40}$/.test(error) ? error : 'without a code';
}
