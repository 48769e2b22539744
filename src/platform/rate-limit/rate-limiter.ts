import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { whenThere } from '../concurrency/index.js';
import { domainError } from '../http/domain-error.js';
import { Metrics } from '../telemetry/index.js';
import { addressBucket } from './address-bucket.js';
import type { RateLimitPolicy } from './policy.js';
import { PolicyFinder } from './policy-finder.js';
import { type Hit, RateLimitStore } from './rate-limit-store.js';

/** Injection token of the {@link RateLimitPolicy} list in force. */
export const RATE_LIMIT_POLICIES = Symbol('RATE_LIMIT_POLICIES');

/** Tells whose credential a request carries, before it is accepted. */
export abstract class RateLimitCredentials {
  /** A stable name of a well-formed credential's holder; null: the request counts for its address. */
  abstract holderOf(request: Request): string | null | Promise<string | null>;
  /** As {@link holderOf}; null also for a credential that opens nothing, such as one that has ended. */
  abstract liveHolderOf(request: Request): string | null | Promise<string | null>;
  /** Told of each request that a limit refuses; the answer does not wait for it. */
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
 * The sliding-window limits of SERVICE 8.2, before everything else that looks at a request (DECISIONS 1). Every answer
 * of a limited path carries its headers, also the one that there is no such route. Promises are made only where
 * something has to be waited for: ingestion comes through here.
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
    this.refusals = metrics.counter('rate_limit_refusals_total', 'Requests answered 429 by a rate limit', ['policy']);
  }

  /** Express middleware; refusals go to `next` as {@link RateLimitExceeded}. */
  handle(request: Request, response: Response, next: NextFunction): void {
    const policy = this.finder.find(request.method, request.path);
    if (policy === null) {
      next();
      return;
    }
    const holder = policy.credentialLimit === null ? null : this.credentials.holderOf(request);
    const refusal = whenThere(holder, (name) => {
      const { bucket, limit } = bucketOf(policy, name, request);
      const hit = this.store.hit(bucket, limit, policy.windowSeconds * 1000);
      return whenThere(hit, (one) => {
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
