import type { RateLimitOverride, RateLimitPolicyName } from '../../config/index.js';

/** One row of SERVICE 8.2. */
export interface RateLimitPolicy {
  readonly name: RateLimitPolicyName;
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[];
  /**
   * The route as the router holds it (`/v1/auth/login`, `/v1/projects/:project_id/events`); a last segment `*` means
   * everything below, and the path before it.
   */
  readonly path: string;
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

/** The first policy of a route, null when it is not limited. `HEAD` counts as the `GET` that answers it. */
export function policyOf(
  policies: readonly RateLimitPolicy[],
  method: string,
  routePath: string,
): RateLimitPolicy | null {
  const verb = method === 'HEAD' ? 'GET' : method;
  return (
    policies.find(({ methods, path }) => (methods as readonly string[]).includes(verb) && covers(path, routePath)) ??
    null
  );
}

function covers(pattern: string, routePath: string): boolean {
  if (!pattern.endsWith('/*')) return pattern === routePath;
  const root = pattern.slice(0, -2);
  return routePath === root || routePath.startsWith(`${root}/`);
}
