import type { RateLimitOverride, RateLimitPolicyName } from '../../config/index.js';

/** One row of SERVICE 8.2. */
export interface RateLimitPolicy {
  readonly name: RateLimitPolicyName;
  /** `GET` stands for `HEAD` too. */
  readonly methods: readonly ('GET' | 'POST' | 'PATCH')[];
  /** Below `/v1/<family>`. A segment `:name` is any one, a last segment `*` everything below the path before it. */
  readonly paths: readonly string[];
  readonly windowSeconds: number;
  /** Requests of one client address in a window. */
  readonly ipLimit: number;
  /** Requests of one credential in a window; null: credentials do not count, the address does. */
  readonly credentialLimit: number | null;
}

/** The policies with the limits that the configuration puts in place of theirs. */
export function overridden(
  policies: readonly RateLimitPolicy[],
  overrides: Readonly<Partial<Record<RateLimitPolicyName, RateLimitOverride>>>,
): RateLimitPolicy[] {
  return policies.map((policy) => {
    const override = overrides[policy.name];
    if (override === undefined) return policy;
    const { ip, credential } = override;
    const credentialLimit = policy.credentialLimit === null ? null : (credential ?? policy.credentialLimit);
    return { ...policy, ipLimit: ip, credentialLimit };
  });
}
