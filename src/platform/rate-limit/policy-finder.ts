import type { RateLimitPolicy } from './policy.js';

interface Rule {
  readonly methods: ReadonlySet<string>;
  readonly pattern: RegExp;
  readonly policy: RateLimitPolicy;
}

const ROOT = '/v1/';
const INTAKE = '/intake/';

/**
 * Finds the policy of a request by its raw path, as the router does: another spelling matches no route either. Every
 * request is checked, so most are excluded by their family, the segment after `/v1/`, or the whole intake.
 */
export class PolicyFinder {
  private readonly families = new Map<string, Rule[]>();

  constructor(policies: readonly RateLimitPolicy[]) {
    for (const policy of policies) {
      const methods = new Set<string>(policy.methods);
      if (methods.has('GET')) methods.add('HEAD');
      for (const path of policy.paths) {
        const family = familyOf(path);
        if (family === null) throw new Error(`${policy.name}: ${path} is not below ${ROOT} or ${INTAKE}`);
        const rules = this.families.get(family) ?? [];
        this.families.set(family, [...rules, { methods, pattern: patternOf(path), policy }]);
      }
    }
  }

  /** Returns null when the request is not limited. The first of several matching policies applies. */
  find(method: string, path: string): RateLimitPolicy | null {
    const family = familyOf(path);
    const rules = family === null ? undefined : this.families.get(family);
    if (rules === undefined) return null;
    for (const { methods, pattern, policy } of rules) if (methods.has(method) && pattern.test(path)) return policy;
    return null;
  }
}

function familyOf(path: string): string | null {
  if (path.startsWith(INTAKE)) return INTAKE;
  if (!path.startsWith(ROOT)) return null;
  const end = path.indexOf('/', ROOT.length);
  return path.slice(ROOT.length, end === -1 ? path.length : end);
}

function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment === '*') return '.+';
    return segment.startsWith(':') ? '[^/]+' : segment;
  });
  return new RegExp(`^${segments.join('/')}$`, 's');
}
