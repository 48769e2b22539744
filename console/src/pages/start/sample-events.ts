import { SAMPLE_ENVIRONMENT } from '../../api/first-steps.js';

export const SAMPLE_EVENTS = 200;
export const SAMPLE_HOURS = 6;

const ROUTES = [
  { method: 'GET', path: '/', latency_ms: 24 },
  { method: 'GET', path: '/products', latency_ms: 61 },
  { method: 'GET', path: '/cart', latency_ms: 38 },
  { method: 'POST', path: '/orders', latency_ms: 182 },
  { method: 'POST', path: '/payments', latency_ms: 410 },
] as const;
/** The part of the time in which payments fail, as shares of the whole. */
const OUTAGE = { from: 0.7, to: 0.8 } as const;

/** Returns events of an invented shop over the hours before `now`, oldest first. Payments fail for some of the time. */
export function sampleEvents(now: number): readonly object[] {
  return Array.from({ length: SAMPLE_EVENTS }, (_, index) => {
    const share = index / SAMPLE_EVENTS;
    const timestamp = new Date(now - (1 - share) * SAMPLE_HOURS * 3_600_000).toISOString();
    const route = ROUTES[index % ROUTES.length] ?? ROUTES[0];
    const isFailure = route.path === '/payments' && share >= OUTAGE.from && share < OUTAGE.to;
    const status_code = isFailure ? 502 : route.path === '/cart' && index % 11 === 0 ? 404 : 200;
    return {
      event_type: 'http.request',
      source: route.path === '/payments' ? 'payments' : 'shop',
      environment: SAMPLE_ENVIRONMENT,
      severity: isFailure ? 'error' : 'info',
      timestamp,
      ...(isFailure && { message: 'The payment provider did not answer.' }),
      payload: {
        method: route.method,
        path: route.path,
        status_code,
        latency_ms: isFailure ? 5_000 : route.latency_ms + ((index * 37) % 90),
        user: `user-${(index * 7) % 23}`,
      },
    };
  });
}
