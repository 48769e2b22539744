import type { Application } from 'express';

interface Match {
  readonly path: string;
  readonly params: Record<string, string>;
}

type Matcher = (path: string) => Match | false;

interface RouterLayer {
  readonly rawPath?: unknown;
  readonly route?: unknown;
  matchers?: Matcher[];
}

/**
 * Makes routing faster. Express tests the regular expression of every route in turn, which with some 250 routes costs
 * more than the answer. This puts a text comparison before each expression: the whole path for a route without
 * parameters, otherwise the text up to the first parameter. Which routes match, and in which order, does not change.
 * Must be called when all routes are registered. Requires a router that is strict about case and slashes, and skips
 * layers of another form.
 */
export function indexRoutes(application: Application): void {
  const { stack } = (application as unknown as { router: { stack: RouterLayer[] } }).router;
  for (const layer of stack) {
    const { rawPath, route, matchers } = layer;
    const [matcher] = matchers ?? [];
    if (route === undefined || typeof rawPath !== 'string' || matcher === undefined || matchers?.length !== 1) continue;
    layer.matchers = [guarded(rawPath, matcher)];
  }
}

function guarded(route: string, matcher: Matcher): Matcher {
  const start = /^[^:*{(\\[?+!]*/.exec(route)?.[0] ?? '';
  if (start === route)
    return (path) => (path === route ? { path, params: Object.create(null) as Match['params'] } : false);
  return (path) => path.startsWith(start) && matcher(path);
}
