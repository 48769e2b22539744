import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { mapMaybePromise } from '../concurrency/index.js';
import { domainError } from '../http/domain-error.js';
import { Metrics } from '../telemetry/index.js';
import { addressBucket } from './address-bucket.js';
import type { RateLimitPolicy } from './policy.js';
import { PolicyFinder } from './policy-finder.js';
import { type Hit, RateLimitStore } from './rate-limit-store.js';

/** The injection token of the active {@link RateLimitPolicy} list. */
export const RATE_LIMIT_POLICIES = Symbol('RATE_LIMIT_POLICIES');

/** Finds the holder of a request's credential before the credential is verified. */
export abstract class RateLimitCredentials {
  /**
   * Returns a stable name for the holder of a well-formed credential, or null when the request is counted for its
   * address.
   */
  abstract holderOf(request: Request): string | null | Promise<string | null>;
  /** As {@link holderOf}, but also returns null for a credential that gives no access, such as an expired one. */
  abstract liveHolderOf(request: Request): string | null | Promise<string | null>;
  /** Called for each request that a limit refuses. The answer does not wait for this call. */
  abstract refused(request: Request): void;
}

export class RateLimitExceeded extends domainError(429, 'Rate limit exceeded') {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterSeconds = 1) {
    super();
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

/**
 * Enforces the sliding-window limits before authentication, validation and routing. Every answer on a limited path has
 * the limit headers, even a 404. A promise is created only when a store or look-up is asynchronous, because all
 * ingestion requests pass through this class (docs/decisions/0013-rate-limits.md).
 */
@Injectable()
export class RateLimiter {
  private readonly finder: PolicyFinder;
  private readonly refusals;

  constructor(
    @Inject(RATE_LIMIT_POLICIES) policies: readonly RateLimitPolicy[],
    private readonly store: RateLimitStore,
    private readonly credentials: RateLimitCredentials,
    metrics: Metrics,
  ) {
    this.finder = new PolicyFinder(policies);
    this.refusals = metrics.counter('oes_rate_limit_refusals_total', 'Requests answered 429 by a rate limit', [
      'policy',
    ]);
  }

  /** The Express middleware. Refusals go to `next` as {@link RateLimitExceeded}. */
  handle(request: Request, response: Response, next: NextFunction): void {
    const policy = this.finder.find(request.method, request.path);
    if (policy === null) {
      next();
      return;
    }
    const holder = policy.credentialLimit === null ? null : this.credentials.holderOf(request);
    const refusal = mapMaybePromise(holder, (name) => {
      const { bucket, limit } = bucketOf(policy, name, request);
      const hit = this.store.hit(bucket, limit, policy.windowSeconds * 1000);
      return mapMaybePromise(hit, (one) => {
        if (!one.isAllowed) this.credentials.refused(request);
        return this.answer(policy, limit, one, response);
      });
    });
    if (refusal instanceof Promise) void refusal.then(next, next);
    else next(refusal);
  }

  private answer(
    { name }: RateLimitPolicy,
    limit: number,
    { isAllowed, remaining, resetAt, now }: Hit,
    response: Response,
  ): RateLimitExceeded | undefined {
    response.setHeader('X-RateLimit-Policy', name);
    response.setHeader('X-RateLimit-Limit', String(limit));
    response.setHeader('X-RateLimit-Remaining', String(remaining));
    response.setHeader('X-RateLimit-Reset', String(Math.ceil(resetAt / 1000)));
    if (isAllowed) return undefined;
    this.refusals.inc({ policy: name });
    return new RateLimitExceeded(Math.max(1, Math.ceil((resetAt - now) / 1000)));
  }
}

function bucketOf(
  { name, ipLimit, credentialLimit }: RateLimitPolicy,
  holder: string | null,
  request: Request,
): { bucket: string; limit: number } {
  return holder === null || credentialLimit === null
    ? { bucket: `${name}:ip:${addressBucket(request.ip)}`, limit: ipLimit }
    : { bucket: `${name}:credential:${holder}`, limit: credentialLimit };
}
