import type { NextFunction, Response } from 'express';
import type { Logger, Metrics } from '../telemetry/index.js';
import type { CheckedRequest } from './inputs.js';

/** Asked every few seconds by machines; worth a line only when they fail. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** One log line and one observation a request. The route's pattern is recorded, never ids or queries. */
export function observeRequests(
  logger: Logger,
  metrics: Metrics,
): (request: CheckedRequest, response: Response, next: NextFunction) => void {
  const duration = metrics.histogram(
    'http_request_duration_seconds',
    'Time from the request to the end of its answer',
    ['method', 'route', 'status'],
  );
  return (request, response, next) => {
    const startedAt = process.hrtime.bigint();
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
      const route = (request.route as { path?: string } | undefined)?.path ?? 'unmatched';
      const status = response.writableFinished ? String(response.statusCode) : 'aborted';
      duration.observe({ method: request.method, route, status }, seconds);
      const level = PROBES.has(route) && response.statusCode < 400 ? 'debug' : 'info';
      logger.write(level, 'request', {
        request_id: request.requestId,
        method: request.method,
        route,
        status,
        duration_ms: Math.round(seconds * 1000),
        ...tenantOf(request),
        ...refusedBy(request, response),
      });
    });
    next();
  };
}

function tenantOf({ access }: CheckedRequest): { organization_id?: string; project_id?: string } {
  if (access === undefined || access.kind === 'user') return {};
  if (access.kind === 'organization') return { organization_id: access.organizationId };
  return { organization_id: access.organizationId, project_id: access.projectId };
}

/** A rate limit refuses before there is a route. */
function refusedBy(request: CheckedRequest, response: Response): { rate_limit_policy?: unknown } {
  if (response.statusCode !== 429 || request.route !== undefined) return {};
  return { rate_limit_policy: response.getHeader('X-RateLimit-Policy') };
}
