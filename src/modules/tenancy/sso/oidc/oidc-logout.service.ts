import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../../../config/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { sha256 } from '../../../../platform/crypto/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { apiBaseOf } from '../../../../platform/http/api-base.js';
import { OAuthFault } from '../../../identity/oauth/index.js';
import { clientOf } from '../../../identity/sessions/index.js';
import { SsoFault } from '../sso-fault.js';
import { SsoRefusalsRepository } from '../sso-refusals.repository.js';
import { SsoSessionsRepository } from '../sso-sessions.repository.js';
import { SsoSignInService } from '../sso-sign-in.service.js';
import { SsoStartsRepository } from '../sso-starts.repository.js';
import { LOGOUT_TOKEN_LIFE_MS, verifyLogoutToken } from './logout-token.js';
import { InvalidLogoutToken } from './oidc.errors.js';
import { nameOf, type OidcParty, OidcPartiesService } from './oidc-parties.service.js';

const SIGN_IN_PAGE = '/console/login';

/** Ends sessions when a provider reports their end, and returns the provider's logout URL when a session ends here. */
@Injectable()
export class OidcLogoutService {
  private readonly logger = new Logger('sso');

  constructor(
    private readonly parties: OidcPartiesService,
    private readonly signIn: SsoSignInService,
    private readonly starts: SsoStartsRepository,
    private readonly sessions: SsoSessionsRepository,
    private readonly refusals: SsoRefusalsRepository,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Ends the sessions that a logout token of the provider names. Succeeds also when there are no such sessions.
   * @throws InvalidLogoutToken
   */
  async byProvider(id: string, token: string, request: Request): Promise<void> {
    try {
      const party = await this.parties.find(id);
      const { connection } = party;
      const logout = await connection.verified((keys, issuer, now) =>
        verifyLogoutToken(token, keys, { issuer, clientId: connection.clientId, now }),
      );
      // The token is marked as used in the same transaction, so that it can be sent again if the sessions were not
      // ended.
      await this.signIn.endSessions(party.id, logout, clientOf(request), (tx) =>
        this.useOnce(party, logout.tokenId, tx),
      );
    } catch (error) {
      if (!(error instanceof OAuthFault || error instanceof SsoFault)) throw error;
      this.logger.warn(`logout by ${id} refused: ${error.message}`);
      await this.refusals.record(nameOf(error, id), error.message, clientOf(request));
      throw new InvalidLogoutToken();
    }
  }

  /**
   * Returns the URL at which the browser ends its session at the provider that opened the session of a refresh token.
   * Returns null when no provider opened it, and when the provider has no such URL or cannot be reached.
   */
  async endSessionUrl(refreshToken: string, request: Request): Promise<string | null> {
    const opened = await this.sessions.ofToken(sha256(refreshToken));
    if (opened === null) return null;
    try {
      const { connection } = await this.parties.find(opened.provider);
      const url = await connection.endSessionEndpoint();
      if (url === null) return null;
      const ended = new URL(url);
      ended.searchParams.set('client_id', connection.clientId);
      if (opened.idToken !== null) ended.searchParams.set('id_token_hint', opened.idToken);
      const base = apiBaseOf(this.config.http.publicApiUrl, request);
      ended.searchParams.set('post_logout_redirect_uri', `${base}${SIGN_IN_PAGE}`);
      return ended.href;
    } catch (error) {
      if (error instanceof OAuthFault || error instanceof SsoFault) return null;
      throw error;
    }
  }

  private async useOnce({ id }: OidcParty, tokenId: string, tx: Db): Promise<void> {
    const until = new Date(this.clock.now().getTime() + LOGOUT_TOKEN_LIFE_MS);
    if (!(await this.starts.markUsed(id, sha256(`logout:${tokenId}`), until, tx))) {
      throw new OAuthFault('logout token refused (it was used before)');
    }
  }
}
