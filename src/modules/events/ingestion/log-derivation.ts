/** What the log columns are derived from (SERVICE 2.8). */
export interface DerivationInput {
  readonly event: string;
  /** Normalized properties, which repeat the top-level status and severity when supplied. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The derived values that filters need; they are stored with the event so that no filter computes them. */
export interface DerivedLog {
  readonly method: string;
  readonly endpoint: string;
  readonly status: number;
  readonly latencyMs: number;
  /** Whether the event carries a latency at all: only those count in percentiles. */
  readonly hasLatency: boolean;
}

const MAX_INTEGER = 2_147_483_647;

const ERROR_STATUSES = new Set(['error', 'failed', 'failure']);
const OK_STATUSES = new Set(['triggered', 'success', 'ok', 'info']);

/** Derives method, endpoint, status and latency; the first available property wins. */
export function deriveLog(input: DerivationInput): DerivedLog {
  const { event, properties } = input;
  return {
    method: firstText(properties, ['method', 'http_method'])?.toUpperCase() ?? 'EVENT',
    endpoint: firstText(properties, ['endpoint', 'path', 'route']) ?? `/events/${event}`,
    status: statusOf(input),
    ...latencyOf(properties),
  };
}

/** The first property that is non-empty text, a number or a boolean. */
function firstText(properties: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = ownValue(properties, name);
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  }
  return undefined;
}

function statusOf({ event, properties }: DerivationInput): number {
  const code = integerOf(ownValue(properties, 'status_code'));
  if (code !== undefined) return code;
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

/** Cut to an integer; negative and unreadable values are 0 (DECISIONS 5). */
function latencyOf(properties: Readonly<Record<string, unknown>>): Pick<DerivedLog, 'latencyMs' | 'hasLatency'> {
  for (const name of ['latency_ms', 'duration_ms', 'response_time_ms', 'elapsed_ms']) {
    const value = ownValue(properties, name);
    if (value === undefined || value === null) continue;
    const number = numberOf(value);
    const latencyMs = number === undefined || number < 0 ? 0 : Math.min(Math.trunc(number), MAX_INTEGER);
    return { latencyMs, hasLatency: true };
  }
  return { latencyMs: 0, hasLatency: false };
}

function integerOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return number === undefined || !Number.isInteger(number) || Math.abs(number) > MAX_INTEGER ? undefined : number;
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\s*[+-]?\d+(\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}

function lower(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}

function ownValue(properties: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
