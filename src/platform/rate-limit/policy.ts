import type { RateLimitOverride, RateLimitPolicyName } from '../../config/index.js';

/** The rate limit of some routes. `src/rate-limits.ts` lists all policies. */
export interface RateLimitPolicy {
  readonly name: RateLimitPolicyName;
  /** `GET` includes `HEAD`. */
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[];
  /**
   * The paths that the policy limits. A segment `:name` matches any segment. A last segment `*` matches everything
   * below the path. The first segment, or the one after `/v1/`, must be fixed text.
   */
  readonly paths: readonly string[];
  readonly windowSeconds: number;
  /** Requests of one client address in a window. */
  readonly ipLimit: number;
  /** Requests of one credential in a window. Null when only the address counts. */
  readonly credentialLimit: number | null;
}

/** Returns the policies with the limits that the configuration overrides. */
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
