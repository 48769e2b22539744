import type { RateLimitPolicy } from './policy.js';

interface Rule {
  readonly methods: ReadonlySet<string>;
  readonly pattern: RegExp;
  readonly policy: RateLimitPolicy;
}

const ROOT = '/v1/';

/**
 * Finds the policy of a request by its raw path. Another spelling of a path needs no policy, because it matches no
 * route either. Every request is checked, so most policies are excluded by a family: the first segment of the path, or
 * the segment after `/v1/`.
 */
export class PolicyFinder {
  private readonly families = new Map<string, Rule[]>();

  constructor(policies: readonly RateLimitPolicy[]) {
    for (const policy of policies) {
      const methods = new Set<string>(policy.methods);
      if (methods.has('GET')) methods.add('HEAD');
      for (const path of policy.paths) {
        const family = familyOf(path);
        const rules = this.families.get(family) ?? [];
        this.families.set(family, [...rules, { methods, pattern: patternOf(path), policy }]);
      }
    }
  }

  /** Returns null when the request is not limited. The first of several matching policies applies. */
  find(method: string, path: string): RateLimitPolicy | null {
    const rules = this.families.get(familyOf(path));
    if (rules === undefined) return null;
    for (const { methods, pattern, policy } of rules) if (methods.has(method) && pattern.test(path)) return policy;
    return null;
  }
}

function familyOf(path: string): string {
  const start = path.startsWith(ROOT) ? ROOT.length : 1;
  const end = path.indexOf('/', start);
  return path.slice(start === 1 ? 0 : start, end === -1 ? path.length : end);
}

function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment === '*') return '.+';
    return segment.startsWith(':') ? '[^/]+' : segment;
  });
  return new RegExp(`^${segments.join('/')}$`, 's');
}
