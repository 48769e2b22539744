import type { EventSender } from './sender/index.js';

/** What is asked of a request: of Express, of Nest on it, and of Node's own server. */
interface ServedRequest {
  readonly method?: string;
  readonly url?: string;
  readonly originalUrl?: string;
  readonly baseUrl?: string;
  readonly route?: { readonly path?: unknown };
}

interface ServedResponse {
  readonly statusCode: number;
  once(event: 'close', listener: () => void): unknown;
}

export interface RecordedRequests {
  /** What the events are called. Default `http.request`. */
  readonly eventType?: string;
}

/**
 * A middleware of Express or Nest that sends an event for each request: method, endpoint (the route's pattern where there
 * is one, so that ids in paths do not make endpoints of their own), status and latency.
 */
export function recordRequests(
  sender: Pick<EventSender, 'send'>,
  { eventType = 'http.request' }: RecordedRequests = {},
): (request: ServedRequest, response: ServedResponse, next: () => void) => void {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const payload = {
        method: request.method,
        endpoint: endpointOf(request),
        status_code: response.statusCode,
        latency_ms: Math.round(performance.now() - startedAt),
      };
      sender.send({ event_type: eventType, payload });
    });
    next();
  };
}

function endpointOf({ route, baseUrl, originalUrl, url }: ServedRequest): string {
  if (typeof route?.path === 'string') return `${baseUrl ?? ''}${route.path}`;
  return (originalUrl ?? url ?? '').replace(/[?#].*$/s, '');
}
