import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { domainError } from '../http/domain-error.js';
import type { CheckedRequest } from '../http/inputs.js';
import { addressBucket } from './client-address.js';
import { policyOf, type RateLimitPolicy } from './policy.js';
import { RateLimitStore } from './rate-limit-store.js';

/** Injection token of the {@link RateLimitPolicy} list in force. */
export const RATE_LIMIT_POLICIES = Symbol('RATE_LIMIT_POLICIES');

/** Tells whose credential a request carries, before it is accepted. */
export abstract class RateLimitCredentials {
  /** A stable name of a well-formed credential's holder; null: the request counts for its address. */
  abstract holderOf(request: CheckedRequest): Promise<string | null>;
}

export class RateLimitExceeded extends domainError(429, 'Rate limit exceeded') {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterSeconds = 1) {
    super();
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

/**
 * The sliding-window limits of SERVICE 8.2. It is the first guard: credentials, body and inputs come after it. The
 * router has already matched, so that no spelling of a path gets around its policy.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly policyOfRoute = new Map<string, RateLimitPolicy | null>();

  constructor(
    @Inject(RATE_LIMIT_POLICIES) private readonly policies: readonly RateLimitPolicy[],
    private readonly store: RateLimitStore,
    private readonly credentials: RateLimitCredentials,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CheckedRequest>();
    const policy = this.policyFor(request);
    if (policy === null) return true;
    const { bucket, limit } = await this.bucketOf(policy, request);
    const { isAllowed, remaining, resetAt, now } = await this.store.hit(
      `${policy.name}:${bucket}`,
      limit,
      policy.windowSeconds * 1000,
    );
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeader('X-RateLimit-Policy', policy.name);
    response.setHeader('X-RateLimit-Limit', String(limit));
    response.setHeader('X-RateLimit-Remaining', String(remaining));
    response.setHeader('X-RateLimit-Reset', String(Math.ceil(resetAt / 1000)));
    if (!isAllowed) throw new RateLimitExceeded(Math.max(1, Math.ceil((resetAt - now) / 1000)));
    return true;
  }

  private policyFor(request: CheckedRequest): RateLimitPolicy | null {
    const path = (request.route as { path?: string } | undefined)?.path ?? '';
    const key = `${request.method} ${path}`;
    let policy = this.policyOfRoute.get(key);
    if (policy === undefined) {
      policy = policyOf(this.policies, request.method, path);
      this.policyOfRoute.set(key, policy);
    }
    return policy;
  }

  private async bucketOf(
    { ipLimit, credentialLimit }: RateLimitPolicy,
    request: CheckedRequest,
  ): Promise<{ bucket: string; limit: number }> {
    const holder = credentialLimit === null ? null : await this.credentials.holderOf(request);
    if (holder !== null && credentialLimit !== null) return { bucket: `credential:${holder}`, limit: credentialLimit };
    return { bucket: `ip:${addressBucket(request.ip)}`, limit: ipLimit };
  }
}
