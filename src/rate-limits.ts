import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Config, RateLimitPolicyName } from './config/index.js';
import { KeyAuthenticator } from './modules/entitlement/api-keys/index.js';
import { SourceHookAuthenticator } from './modules/entitlement/sources/index.js';
import { ScimTokenAuthenticator } from './modules/tenancy/sso/index.js';
import { AccessTokenService } from './modules/identity/sessions/index.js';
import { apiKeyOf, isIntake } from './modules/access/index.js';
import type { Clock } from './platform/clock/index.js';
import {
  FailOpenStore,
  MemoryRateLimitStore,
  overridden,
  RateLimitCredentials,
  type RateLimitPolicy,
  type RateLimitStore,
  RedisRateLimitStore,
} from './platform/rate-limit/index.js';
import type { Logger } from './platform/telemetry/index.js';

const MINUTE = 60;
const INGESTION = '/v1/events/ingest';

type Identity = Awaited<ReturnType<KeyAuthenticator['identityOf']>>;

/** Returns the rate limit policies, with the limits of this deployment. */
export function rateLimitPolicies({ rateLimits }: Config): RateLimitPolicy[] {
  const policies = [
    row('auth-login', ['POST'], ['/v1/auth/login'], 5 * MINUTE, rateLimits.authLoginIp, null),
    row('auth-register', ['POST'], ['/v1/auth/register'], 15 * MINUTE, rateLimits.authRegisterIp, null),
    row('organization-invite-create', ['POST'], ['/v1/organizations/:organization_id/invites'], 5 * MINUTE, 20, 10),
    row(
      'organization-invite-owner-action',
      ['POST'],
      ['/v1/organizations/invites/:invite_id/resend', '/v1/organizations/invites/:invite_id/revoke'],
      5 * MINUTE,
      20,
      10,
    ),
    row('events', ['GET', 'POST'], under('/v1/events'), MINUTE, 30, 60),
    row('intake', ['POST'], ['/intake/*'], MINUTE, 120, 600),
    row('project-events-explorer', ['GET'], ['/v1/projects/:project_id/events'], MINUTE, 10, 30),
    row('project-dashboard', ['GET'], ['/v1/projects/:project_id/dashboard'], MINUTE, 10, 30),
    row('api-keys-machine-auth', ['GET'], ['/v1/api-keys/me'], MINUTE, 20, 60),
    row('api-keys-mutate', ['POST'], under('/v1/api-keys'), MINUTE, 10, 20),
    row('billing-status', ['GET'], ['/v1/billing/status'], MINUTE, 20, 60),
    row('billing-admin', ['PATCH'], ['/v1/billing/org/*'], 5 * MINUTE, 20, 10),
    row('billing-self-serve', ['POST'], ['/v1/billing/checkout-session', '/v1/billing/portal'], MINUTE, 20, 30),
    row('search', ['GET'], ['/v1/search'], MINUTE, 10, 30),
    row('analytics', ['GET'], under('/v1/analytics'), MINUTE, 10, 20),
    row('eql', ['GET', 'POST'], under('/v1/eql'), MINUTE, 10, 20),
    row('logs', ['GET'], under('/v1/logs'), MINUTE, 10, 20),
    row('performance', ['GET'], under('/v1/performance'), MINUTE, 10, 20),
    row('usage', ['GET'], under('/v1/usage'), MINUTE, 10, 20),
    // A hosted provider ends the sessions of all its customers from a few addresses.
    row('sso-logout', ['POST'], ['/sso/oidc/:provider/backchannel-logout'], MINUTE, 600, null),
    // A company often has one address for everybody. A sign-in takes three or four requests.
    row('sso', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], under('/sso'), MINUTE, 240, 60),
    row('scim', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], under('/scim/v2'), MINUTE, 600, 2_400),
  ];
  return overridden(policies, rateLimits.overrides);
}

function row(
  name: RateLimitPolicyName,
  methods: RateLimitPolicy['methods'],
  paths: readonly string[],
  windowSeconds: number,
  ipLimit: number,
  credentialLimit: number | null,
): RateLimitPolicy {
  return { name, methods, paths, windowSeconds, ipLimit, credentialLimit };
}

function under(path: string): string[] {
  return [path, `${path}/*`];
}

/**
 * Returns a store in Redis where one is configured, otherwise in memory. A process without HTTP limits nothing and
 * needs no connection.
 */
export async function rateLimitStore(config: Config, clock: Clock, logger: Logger): Promise<RateLimitStore> {
  const { backend, redisUrl } = config.rateLimits;
  if (backend === 'memory' || redisUrl === undefined || !config.process.runsApi) return new MemoryRateLimitStore(clock);
  const redis = new RedisRateLimitStore({ url: redisUrl });
  await redis.connect();
  const store = new FailOpenStore(redis, clock, logger);
  // Reports an unreachable Redis at the start, not with the first request.
  await store.health();
  return store;
}

/**
 * Counts a request for the key or person of its credential, from any address and even when the credential has expired.
 * A credential that does not verify counts by address. The access token takes precedence over keys: a person's requests
 * are counted for that person, whichever keys they send. A webhook is counted for the source of its address, whichever
 * other credentials it carries.
 */
@Injectable()
export class CredentialHolders extends RateLimitCredentials {
  constructor(
    private readonly keys: KeyAuthenticator,
    private readonly hooks: SourceHookAuthenticator,
    private readonly scim: ScimTokenAuthenticator,
    private readonly tokens: AccessTokenService,
  ) {
    super();
  }

  override holderOf(request: Request): string | null | Promise<string | null> {
    if (this.hooks.isHook(request)) return this.holderOfHook(request);
    if (this.scim.isShown(request)) return this.holderOfScim(request);
    const claims = this.tokens.claimsOf(request);
    if (claims === null) return this.holderOfKey(request);
    return claims.then((person) => (person === null ? this.holderOfKey(request) : `user:${person.userId}`));
  }

  /** Browser keys are public, so they count as credentials only at ingestion. */
  override liveHolderOf(request: Request): string | null | Promise<string | null> {
    if (this.hooks.isHook(request)) return this.holderOfHook(request);
    if (this.scim.isShown(request)) return this.holderOfScim(request);
    const claims = this.tokens.claimsOf(request);
    if (claims === null) return this.liveHolderOfKey(request);
    return claims.then((person) =>
      person === null || this.tokens.hasExpired(person) ? this.liveHolderOfKey(request) : `user:${person.userId}`,
    );
  }

  /** Records refused ingestion for the owner of the key or of the source. */
  override refused(request: Request): void {
    if (this.hooks.isHook(request)) this.hooks.limited(request);
    else if (request.method === 'POST' && isIngestion(request) && apiKeyOf(request) !== null)
      this.keys.limited(request);
  }

  private async holderOfHook(request: Request): Promise<string | null> {
    const identity = await this.hooks.identityOf(request);
    return identity === null ? null : `hook:${identity.sourceId}`;
  }

  /** A provider sends from addresses that it shares between its customers, so each token has its own limit. */
  private async holderOfScim(request: Request): Promise<string | null> {
    const token = await this.scim.identityOf(request);
    return token === null ? null : `scim:${token.id}`;
  }

  private liveHolderOfKey(request: Request): string | null | Promise<string | null> {
    const live = (identity: Identity): string | null =>
      identity !== null && this.keys.isLive(identity) && (identity.allowedOrigins === null || isIngestion(request))
        ? holderOfIdentity(identity)
        : null;
    const identity = this.keys.identityOf(request);
    return identity instanceof Promise ? identity.then(live) : live(identity);
  }

  private holderOfKey(request: Request): string | null | Promise<string | null> {
    const identity = this.keys.identityOf(request);
    return identity instanceof Promise ? identity.then(holderOfIdentity) : holderOfIdentity(identity);
  }
}

/** Whether the request sends events, which browser keys may do too. */
function isIngestion(request: Request): boolean {
  return request.path === INGESTION || isIntake(request);
}

function holderOfIdentity(identity: { readonly apiKeyId: string } | null): string | null {
  return identity === null ? null : `key:${identity.apiKeyId}`;
}
