import { type Members, WrittenJson, writeObject } from '../../../platform/http/written-json.js';
import type { Selection } from '../event-store/index.js';
import type { LogRow } from './logs.dto.js';

/**
 * The values from which a log row is built. JSON stays text: properties may be large, and no code here reads their
 * content.
 */
export interface LoggedEvent {
  readonly id: string;
  readonly timestamp: Date;
  readonly event: string;
  readonly api_key_id: string | null;
  readonly log_method: string;
  readonly log_endpoint: string;
  readonly log_status: number;
  readonly log_latency_ms: number;
  /**
   * The first of the properties `api_key_prefix`, `api_key` and `key` that is non-empty text, a number or a boolean, as
   * JSON text.
   */
  readonly log_key: string | null;
  /**
   * The first of the properties `request` and `request_body` that is an object, as JSON text. `log_response` is the
   * same for `response` and `response_body`.
   */
  readonly log_request: string | null;
  readonly log_response: string | null;
  /** The properties as JSON text, or null when the log row does not contain them. */
  readonly properties: string | null;
}

const REQUEST = firstObject(['request', 'request_body']);

/** The columns of a {@link LoggedEvent} that other events do not have. */
export const LOG_COLUMNS = `log_method, log_endpoint, log_status, log_latency_ms,
  ${firstScalar(['api_key_prefix', 'api_key', 'key'])}::text AS log_key, ${REQUEST}::text AS log_request,
  ${firstObject(['response', 'response_body'])}::text AS log_response`;

/** A join to `events` from which the columns are read. It decompresses the properties once for all of these columns. */
export const LOG_JOIN = `CROSS JOIN LATERAL jsonb_to_record(properties) AS named (
  api_key_prefix jsonb, api_key jsonb, key jsonb, request jsonb, request_body jsonb, response jsonb, response_body jsonb)`;

export const LOG_ROWS: Selection<LoggedEvent> = {
  columns: `id, "timestamp", event, api_key_id, ${LOG_COLUMNS},
    CASE WHEN ${REQUEST} IS NULL THEN properties::text END AS properties`,
  join: LOG_JOIN,
};

/** Returns an event as a log row. */
export function logRow(stored: LoggedEvent, projectName: string): WrittenJson<LogRow> {
  const { event, log_latency_ms: latency } = stored;
  return writeObject<LogRow>({
    id: stored.id,
    timestamp: stored.timestamp.toISOString(),
    method: stored.log_method,
    endpoint: stored.log_endpoint,
    status: stored.log_status,
    latency_ms: latency,
    ...latencyClass(latency),
    api_key_prefix: textIn(stored.log_key) ?? stored.api_key_id?.slice(0, 8) ?? 'dashboard',
    project: projectName,
    request_body: objectIn(stored.log_request) ?? writeObject({ event, properties: objectIn(stored.properties) }),
    response_body: objectIn(stored.log_response) ?? { accepted: true, event, status_code: 200 },
  });
}

function latencyClass(ms: number): Pick<Members<LogRow>, 'latency_bucket' | 'latency_color'> {
  if (ms < 100) return { latency_bucket: 'fast', latency_color: 'green' };
  if (ms < 300) return { latency_bucket: 'slow', latency_color: 'yellow' };
  return { latency_bucket: 'very_slow', latency_color: 'red' };
}

function textIn(json: string | null): string | undefined {
  if (json === null) return undefined;
  // Numbers and booleans are returned as they were sent, with all digits.
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

function objectIn(json: string | null): WrittenJson<Record<string, unknown>> | undefined {
  return json === null ? undefined : new WrittenJson(json);
}

function firstObject(names: readonly string[]): string {
  return `coalesce(${names.map((name) => `CASE WHEN jsonb_typeof(${name}) = 'object' THEN ${name} END`).join(', ')})`;
}

function firstScalar(names: readonly string[]): string {
  const usable = (name: string): string =>
    `CASE WHEN jsonb_typeof(${name}) IN ('string', 'number', 'boolean') AND ${name} <> '""' THEN ${name} END`;
  return `coalesce(${names.map(usable).join(', ')})`;
}
