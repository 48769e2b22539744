/** One kind of request of the fictional shop. */
export interface RequestKind {
  readonly weight: number;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{id}` stands for a number. */
  readonly route: string;
  /** The status of a request that succeeds. */
  readonly status: number;
  readonly medianMs: number;
  /** Share of requests answered with one of `refusals`. */
  readonly refusedShare: number;
  readonly refusals: readonly number[];
}

type Outcome = Pick<RequestKind, 'status' | 'medianMs' | 'refusedShare' | 'refusals'>;

const kind = (weight: number, method: RequestKind['method'], route: string, outcome: Outcome): RequestKind => ({
  weight,
  method,
  route,
  ...outcome,
});

const page = (medianMs: number): Outcome => ({ status: 200, medianMs, refusedShare: 0.02, refusals: [301, 304] });
const record = (medianMs: number): Outcome => ({
  status: 200,
  medianMs,
  refusedShare: 0.06,
  refusals: [404, 404, 304],
});
const personal = (medianMs: number): Outcome => ({
  status: 200,
  medianMs,
  refusedShare: 0.05,
  refusals: [401, 403, 404],
});
const asset: Outcome = { status: 200, medianMs: 6, refusedShare: 0.3, refusals: [304] };
const change = (status: number, medianMs: number): Outcome => ({
  status,
  medianMs,
  refusedShare: 0.07,
  refusals: [401, 409, 422, 422, 429],
});

export const REQUESTS: readonly RequestKind[] = [
  kind(16, 'GET', '/', page(38)),
  kind(1, 'HEAD', '/', page(12)),
  kind(14, 'GET', '/products', page(62)),
  kind(21, 'GET', '/products/{id}', record(48)),
  kind(8, 'GET', '/search', page(130)),
  kind(6, 'GET', '/cart', page(41)),
  kind(5, 'POST', '/cart/items', change(201, 72)),
  kind(2, 'PATCH', '/cart/items/{id}', change(200, 66)),
  kind(1.5, 'DELETE', '/cart/items/{id}', change(204, 52)),
  kind(2, 'POST', '/orders', change(201, 260)),
  kind(4, 'GET', '/orders/{id}', personal(85)),
  kind(2, 'POST', '/sessions', change(201, 190)),
  kind(3, 'GET', '/users/{id}', personal(44)),
  kind(1, 'PUT', '/users/{id}', change(200, 80)),
  kind(6, 'GET', '/assets/app.js', asset),
  kind(3, 'GET', '/health', { status: 200, medianMs: 3, refusedShare: 0, refusals: [503] }),
  kind(2, 'GET', '/favicon.ico', asset),
];

export const SERVER_ERRORS = [
  { status: 500, weight: 6 },
  { status: 502, weight: 2 },
  { status: 503, weight: 2 },
  { status: 504, weight: 1 },
] as const;

export const ERRORS = [
  'Connection to the payment service timed out after 10000 ms',
  'deadlock detected while updating stock levels',
  'Cannot read properties of undefined (reading "price")',
  'upstream closed the connection before the response was complete',
] as const;

export const SOURCES = ['web-1', 'web-2', 'web-3'] as const;
export const ENVIRONMENT = 'production';

export const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)',
] as const;

/** Returns the load at an hour of the UTC day as a share of the busiest load: lowest at 3, highest at 15. */
export function loadAt(hour: number): number {
  return 0.6 - 0.4 * Math.cos(((hour - 3) / 12) * Math.PI);
}
