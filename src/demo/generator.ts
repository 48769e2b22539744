import {
  ENVIRONMENT,
  ERRORS,
  loadAt,
  type RequestKind,
  REQUESTS,
  SERVER_ERRORS,
  SOURCES,
  USER_AGENTS,
} from './traffic.js';
import { type Random, randomFrom } from './random.js';

/** The body of one ingestion request. */
export interface GeneratedEvent {
  readonly event_type: string;
  readonly source: string;
  readonly event_id: string;
  readonly timestamp: string;
  readonly severity: string;
  readonly message: string;
  readonly status: string;
  readonly environment: string;
  readonly payload: Readonly<Record<string, string | number>>;
}

export interface GeneratorOptions {
  readonly count: number;
  readonly seed: number;
  /** The end of the 24 hours over which the events are spread. */
  readonly now: Date;
}

const DAY_MS = 24 * 3600 * 1000;
const HOUR_MS = 3600 * 1000;
/** Standard deviation of the logarithm of latencies. About one request in twenty takes more than twice its median. */
const LATENCY_SIGMA = 0.45;
const MAX_LATENCY_MS = 60_000;

/**
 * Returns web requests of a small shop, oldest first. The same seed gives the same requests; only their times depend on
 * `now`.
 */
export function generateEvents({ count, seed, now }: GeneratorOptions): GeneratedEvent[] {
  const random = randomFrom(seed);
  return timesBefore(now, count, randomFrom(seed ^ 0x5bd1e995)).map((time, index) =>
    eventAt(time, `demo-${seed}-${index + 1}`, random),
  );
}

/** Returns times within the last day, in ascending order. Busy hours have more of them. */
function timesBefore(now: Date, count: number, random: Random): Date[] {
  const end = now.getTime();
  const times: number[] = [];
  while (times.length < count) {
    const time = end - Math.floor(random.next() * DAY_MS);
    if (random.next() < loadAt((time % DAY_MS) / HOUR_MS)) times.push(time);
  }
  return times.sort((a, b) => a - b).map((time) => new Date(time));
}

function eventAt(time: Date, id: string, random: Random): GeneratedEvent {
  return requestEvent(random.weighted(REQUESTS), { time, id }, random);
}

/** The effect of an incident on requests. */
export interface Trouble {
  /** The factor by which latencies grow. */
  readonly slowdown: number;
  /** The additional share of requests that fail, from 0 to 1. */
  readonly failing: number;
}

const NO_TROUBLE: Trouble = { slowdown: 1, failing: 0 };

interface Request {
  readonly time: Date;
  readonly id: string;
  readonly trouble?: Trouble;
}

/** Returns the event of a request of the given kind, with a random outcome. */
export function requestEvent(
  kind: RequestKind,
  { time, id, trouble = NO_TROUBLE }: Request,
  random: Random,
): GeneratedEvent {
  const path = kind.route.replaceAll('{id}', () => String(1000 + random.below(9000)));
  const statusCode = statusOf(kind, trouble.failing, random);
  const failed = statusCode >= 500;
  return {
    event_type: failed ? 'http.error' : 'http.request',
    source: random.pick(SOURCES),
    event_id: id,
    timestamp: time.toISOString(),
    severity: failed ? 'error' : statusCode >= 400 ? 'warning' : 'info',
    message: failed ? random.pick(ERRORS) : `${kind.method} ${path} answered ${statusCode}`,
    status: failed ? 'failed' : 'success',
    environment: ENVIRONMENT,
    payload: {
      method: kind.method,
      path,
      route: kind.route,
      status_code: statusCode,
      latency_ms: latencyOf(kind, statusCode, trouble.slowdown, random),
      bytes: statusCode === 204 || statusCode === 304 || kind.method === 'HEAD' ? 0 : 200 + random.below(60_000),
      user_agent: random.pick(USER_AGENTS),
      // TEST-NET-3: addresses reserved for examples.
      client_ip: `203.0.113.${1 + random.below(254)}`,
    },
  };
}

/** The share of requests that fail without an incident, from 0 to 1. */
const FAILING = 0.012;

function statusOf(kind: RequestKind, failing: number, random: Random): number {
  const chance = random.next();
  if (chance < FAILING + failing) return random.weighted(SERVER_ERRORS).status;
  return chance < FAILING + failing + kind.refusedShare ? random.pick(kind.refusals) : kind.status;
}

function latencyOf(kind: RequestKind, statusCode: number, slowdown: number, random: Random): number {
  const ofStatus = statusCode === 504 ? 60 : statusCode >= 500 ? 4 : statusCode >= 400 ? 0.5 : 1;
  const latency = kind.medianMs * ofStatus * slowdown * Math.exp(LATENCY_SIGMA * random.normal());
  return Math.min(MAX_LATENCY_MS, Math.max(1, Math.round(latency)));
}
