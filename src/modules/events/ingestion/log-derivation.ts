import { ExactNumber } from '../../../platform/json/index.js';

/** The input from which the log columns of an event are derived. */
export interface DerivationInput {
  readonly event: string;
  /** Normalized properties, which repeat the top-level status and severity when supplied. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The derived log values that filters need. They are stored with the event, so that no filter computes them. */
export interface DerivedLog {
  readonly method: string;
  readonly endpoint: string;
  readonly status: number;
  readonly latencyMs: number;
  /** Whether the event has a readable latency. Only such events count in percentiles. */
  readonly hasLatency: boolean;
}

const MAX_INTEGER = 2_147_483_647;

const ERROR_STATUSES = new Set(['error', 'failed', 'failure']);
const OK_STATUSES = new Set(['triggered', 'success', 'ok', 'info']);

/** Derives method, endpoint, status and latency. The first available property wins, in the order of the names below. */
export function deriveLog(input: DerivationInput): DerivedLog {
  const { event, properties } = input;
  return {
    method: firstText(properties, ['method', 'http_method'])?.toUpperCase() ?? 'EVENT',
    endpoint: firstText(properties, ['endpoint', 'path', 'route']) ?? `/events/${event}`,
    status: statusOf(input),
    ...latencyOf(properties),
  };
}

/** Returns the first property that is non-empty text, a number or a boolean. */
function firstText(properties: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = ownValue(properties, name);
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (value instanceof ExactNumber) return value.digits;
  }
  return undefined;
}

function statusOf({ event, properties }: DerivationInput): number {
  const code = numberOf(ownValue(properties, 'status_code'));
  if (code !== undefined && isStatus(code)) return code;
  const status = lower(ownValue(properties, 'status'));
  if (status !== undefined) {
    if (ERROR_STATUSES.has(status)) return 500;
    if (status === 'warning') return 400;
    if (OK_STATUSES.has(status)) return 200;
  }
  const severity = lower(ownValue(properties, 'severity'));
  if (severity === 'critical') return 500;
  if (severity === 'warning') return 400;
  return event.toLowerCase().includes('error') ? 500 : 200;
}

/** Returns the latency rounded to an integer. Negative and unreadable values count as 0 and as not measured. */
function latencyOf(properties: Readonly<Record<string, unknown>>): Pick<DerivedLog, 'latencyMs' | 'hasLatency'> {
  for (const name of ['latency_ms', 'duration_ms', 'response_time_ms', 'elapsed_ms']) {
    const value = ownValue(properties, name);
    if (value === undefined || value === null) continue;
    const number = numberOf(value);
    if (number === undefined || number < 0) break;
    return { latencyMs: Math.min(Math.round(number), MAX_INTEGER), hasLatency: true };
  }
  return { latencyMs: 0, hasLatency: false };
}

function isStatus(code: number): boolean {
  return Number.isInteger(code) && code >= 100 && code <= 599;
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof ExactNumber) return value.toNumber();
  if (typeof value !== 'string' || !/^\s*[+-]?\d+(\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}

function lower(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}

function ownValue(properties: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
