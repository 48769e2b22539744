import { Injectable } from '@nestjs/common';
import {
  bearerTokenOf,
  type Credentialed,
  RequestMemo,
  ScimAuthenticator,
  type ScimScope,
} from '../../../../access/index.js';
import { NotAuthenticated } from '../../../../../platform/http/domain-error.js';
import { hashOfScimToken } from './scim-token-text.js';
import { type FoundScimToken, ScimTokensRepository } from './scim-tokens.repository.js';

/** Finds the organization of a request by its token. */
@Injectable()
export class ScimTokenAuthenticator extends ScimAuthenticator {
  private readonly found = new RequestMemo<Promise<FoundScimToken | null>>('scim token');

  constructor(private readonly tokens: ScimTokensRepository) {
    super();
  }

  /** Returns whether the request has a bearer token in the form of a SCIM token. */
  isShown(request: Credentialed): boolean {
    return hashOfScimToken(bearerTokenOf(request)) !== null;
  }

  /** Returns the valid token of a request, or null when it has none. The token is looked up once per request. */
  identityOf(request: Credentialed): Promise<FoundScimToken | null> {
    return this.found.of(request, () => {
      const hash = hashOfScimToken(bearerTokenOf(request));
      return hash === null ? Promise.resolve(null) : this.tokens.find(hash);
    });
  }

  async authenticate(request: Credentialed): Promise<ScimScope> {
    const token = await this.identityOf(request);
    if (token === null) throw new NotAuthenticated();
    if (token.isUseStale) await this.tokens.markUsed(token);
    return { kind: 'scim', organizationId: token.organizationId, tokenId: token.id };
  }
}
