/** An event in the form of a request, as it is stored. */
export interface StoredRequest {
  readonly id: string;
  readonly ms: number;
  readonly event: string;
  readonly source_id: string | null;
  readonly severity: string | null;
  /** The status of the event; the status of the request is `status`. */
  readonly event_status: string | null;
  readonly environment: string | null;
  readonly method: string;
  readonly endpoint: string;
  readonly status: number;
  /** Null: no latency was measured. */
  readonly latency: number | null;
}

/** The database of the service under test. */
interface Rows {
  rows<Row>(statement: string, parameters: unknown[]): Promise<Row[]>;
}

export async function storedRequests(database: Rows, projectId: string): Promise<StoredRequest[]> {
  return database.rows<StoredRequest>(
    `SELECT id, extract(epoch FROM "timestamp")::float8 * 1000 AS ms, event, source_id, severity, status AS event_status,
            environment, log_method AS method, log_endpoint AS endpoint, log_status AS status, CASE WHEN log_has_latency THEN log_latency_ms END AS latency
     FROM events WHERE project_id = $1`,
    [projectId],
  );
}

type Requests = readonly StoredRequest[];
type Code = readonly { readonly status: number; readonly requests: number }[];

export const errorsOf = (requests: Requests): number => requests.filter(({ status }) => status >= 500).length;
export const latenciesOf = (requests: Requests): number[] =>
  requests.flatMap(({ latency }) => latency ?? []).sort((a, b) => a - b);
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const change = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : (now - before) / before;

/** Returns the percentile by nearest rank. */
export function percentile(sorted: readonly number[], quantile: number): number | null {
  return sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1] ?? null;
}

function apdexOf(requests: Requests, threshold: number) {
  const measured = requests.filter(({ latency }) => latency !== null);
  const within = (most: number): number =>
    measured.filter(({ latency, status }) => status < 500 && (latency ?? 0) <= most).length;
  const satisfied = within(threshold);
  const tolerating = within(4 * threshold) - satisfied;
  const score = measured.length === 0 ? null : (satisfied + tolerating / 2) / measured.length;
  return { score, satisfied, tolerating, frustrated: measured.length - satisfied - tolerating };
}

/** Returns the part of `/summary` that depends on the requests, without the head and the values per minute. */
export function summaryOf(requests: Requests, before: Requests | null, threshold: number) {
  const latencies = latenciesOf(requests);
  const { score, ...counts } = apdexOf(requests, threshold);
  const compared = (some: Requests) => ({
    requests: some.length,
    error_rate: ratio(errorsOf(some), some.length),
    p50_ms: percentile(latenciesOf(some), 0.5),
    p95_ms: percentile(latenciesOf(some), 0.95),
    apdex: apdexOf(some, threshold).score,
  });
  const [now, previous] = [compared(requests), before && compared(before)];
  return {
    requests: requests.length,
    measured: latencies.length,
    client_errors: requests.filter(({ status }) => status >= 400 && status < 500).length,
    errors: errorsOf(requests),
    error_rate: now.error_rate,
    latency: {
      min_ms: latencies[0] ?? null,
      avg_ms: latencies.length === 0 ? null : sumOf(latencies) / latencies.length,
      p50_ms: percentile(latencies, 0.5),
      p75_ms: percentile(latencies, 0.75),
      p90_ms: percentile(latencies, 0.9),
      p95_ms: percentile(latencies, 0.95),
      p99_ms: percentile(latencies, 0.99),
      max_ms: latencies.at(-1) ?? null,
    },
    buckets: {
      fast: latencies.filter((ms) => ms < 100).length,
      slow: latencies.filter((ms) => ms >= 100 && ms < 300).length,
      very_slow: latencies.filter((ms) => ms >= 300).length,
    },
    apdex: { threshold_ms: threshold, score, ...counts },
    previous,
    change: previous && {
      requests: change(now.requests, previous.requests),
      error_rate: now.error_rate - previous.error_rate,
      p50_ms: change(now.p50_ms, previous.p50_ms),
      p95_ms: change(now.p95_ms, previous.p95_ms),
      apdex: now.apdex === null || previous.apdex === null ? null : now.apdex - previous.apdex,
    },
  };
}

export interface PairOfRequests {
  readonly method: string | null;
  readonly endpoint: string | null;
  readonly requests: Requests;
}

/**
 * Returns the requests by method and endpoint, in the order of their names. In each hour the `mostPairs` largest pairs
 * keep their names, and all other requests form one pair without names.
 */
export function pairsOf(requests: Requests, mostPairs = 1_000): PairOfRequests[] {
  const all = new Map<string, StoredRequest[]>();
  const nameOf = ({ method, endpoint }: StoredRequest): string => JSON.stringify([endpoint, method]);
  for (const hour of grouped(requests, ({ ms }) => Math.floor(ms / 3_600_000)).values()) {
    const pairs = [...grouped(hour, nameOf)].sort(
      ([a, some], [b, others]) => others.length - some.length || compare(a, b),
    );
    for (const [index, [name, some]] of pairs.entries()) {
      const key = index < mostPairs ? name : '';
      all.set(key, [...(all.get(key) ?? []), ...some]);
    }
  }
  return [...all]
    .sort(([a], [b]) => (a === '' ? 1 : b === '' ? -1 : compare(a, b)))
    .map(([key, some]) => {
      const [endpoint = null, method = null] = key === '' ? [] : (JSON.parse(key) as string[]);
      return { method, endpoint, requests: some };
    });
}

export function endpointOf({ method, endpoint, requests }: PairOfRequests, all: Requests) {
  const latencies = latenciesOf(requests);
  return {
    method,
    endpoint,
    requests: requests.length,
    measured: latencies.length,
    errors: errorsOf(requests),
    error_rate: ratio(errorsOf(requests), requests.length),
    avg_ms: latencies.length === 0 ? null : sumOf(latencies) / latencies.length,
    p50_ms: percentile(latencies, 0.5),
    p95_ms: percentile(latencies, 0.95),
    p99_ms: percentile(latencies, 0.99),
    max_ms: latencies.at(-1) ?? null,
    total_time_share: ratio(sumOf(latencies), sumOf(latenciesOf(all))),
  };
}

/** Returns the part of `/errors` that depends on the requests, without the head. */
export function failuresOf(requests: Requests, statusFrom: number, limit: number) {
  const failed = requests.filter(({ status }) => status >= statusFrom);
  const codes = (some: Requests): Code =>
    [...grouped(some, ({ status }) => status)]
      .map(([status, { length }]) => ({ status, requests: length }))
      .sort((a, b) => b.requests - a.requests || a.status - b.status);
  const failing = pairsOf(requests)
    .map((pair) => ({ ...pair, failed: pair.requests.filter(({ status }) => status >= statusFrom) }))
    .filter((pair) => pair.failed.length > 0)
    .sort((a, b) => b.failed.length - a.failed.length);
  return {
    requests: requests.length,
    failed: failed.length,
    failure_rate: ratio(failed.length, requests.length),
    by_status: codes(failed).map((one) => ({ ...one, share: one.requests / failed.length })),
    by_endpoint: failing.slice(0, limit).map((pair) => ({
      method: pair.method,
      endpoint: pair.endpoint,
      requests: pair.requests.length,
      failed: pair.failed.length,
      failure_rate: pair.failed.length / pair.requests.length,
      statuses: codes(pair.failed),
      last_failed_at: new Date(Math.max(...pair.failed.map(({ ms }) => ms))).toISOString(),
    })),
  };
}

/** Returns the ids that `/slowest` lists. */
export function slowestOf(requests: Requests, minMs: number, limit: number): string[] {
  return requests
    .filter(({ latency }) => latency !== null && latency >= minMs)
    .sort((a, b) => (b.latency ?? 0) - (a.latency ?? 0) || b.ms - a.ms || compare(b.id, a.id))
    .slice(0, limit)
    .map(({ id }) => id);
}

function grouped<Key>(requests: Requests, keyOf: (request: StoredRequest) => Key): Map<Key, StoredRequest[]> {
  const groups = new Map<Key, StoredRequest[]>();
  for (const request of requests) {
    const group = groups.get(keyOf(request));
    if (group === undefined) groups.set(keyOf(request), [request]);
    else group.push(request);
  }
  return groups;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
