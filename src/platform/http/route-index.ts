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
 * Express tries the regular expression of every route in turn, so that with some 250 routes the search costs more than
 * the answer. This puts a comparison of text before each: the whole path for a route without parameters, the text up to
 * the first parameter for the others. What matches, and in which order, stays; called once all routes are there.
 * It needs a router that is strict about case and slashes, and leaves layers of another form alone.
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
