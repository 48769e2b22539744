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
 * Makes routing faster. Express tests the regular expression of every route in turn, which costs more than the answer
 * when there are about 250 routes. This function adds a text comparison before each expression: of the whole path for a
 * route without parameters, and otherwise of the text before the first parameter. The matching routes and their order
 * do not change. Call this when all routes are registered. The router must be strict about case and trailing slashes.
 * Layers of another form are left as they are.
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
