import { firstObject, firstText } from '../events/index.js';
import type { LogRow } from './logs.dto.js';

/** The stored columns a log row is made of. */
export interface LoggedEvent {
  readonly id: string;
  readonly timestamp: Date;
  readonly event: string;
  readonly api_key_id: string | null;
  readonly properties: Record<string, unknown>;
  readonly log_method: string;
  readonly log_endpoint: string;
  readonly log_status: number;
  readonly log_latency_ms: number;
}

/** The columns of a {@link LoggedEvent} beside those of every event, for a SELECT. */
export const LOG_COLUMNS = 'log_method, log_endpoint, log_status, log_latency_ms';

/** One event as a log row (SERVICE 2.8). */
export function logRow(stored: LoggedEvent, projectName: string): LogRow {
  const { event, properties, log_latency_ms: latency } = stored;
  return {
    id: stored.id,
    timestamp: stored.timestamp.toISOString(),
    method: stored.log_method,
    endpoint: stored.log_endpoint,
    status: stored.log_status,
    latency_ms: latency,
    ...latencyClass(latency),
    api_key_prefix:
      firstText(properties, ['api_key_prefix', 'api_key', 'key']) ?? stored.api_key_id?.slice(0, 8) ?? 'dashboard',
    project: projectName,
    request_body: firstObject(properties, ['request', 'request_body']) ?? { event, properties },
    response_body: firstObject(properties, ['response', 'response_body']) ?? {
      accepted: true,
      event,
      status_code: 200,
    },
  };
}

function latencyClass(ms: number): Pick<LogRow, 'latency_bucket' | 'latency_color'> {
  if (ms < 100) return { latency_bucket: 'fast', latency_color: 'green' };
  if (ms < 300) return { latency_bucket: 'slow', latency_color: 'yellow' };
  return { latency_bucket: 'very_slow', latency_color: 'red' };
}
