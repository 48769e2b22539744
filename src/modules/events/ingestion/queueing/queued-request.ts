import type { Traceparent } from '../../../../platform/telemetry/index.js';
import { parseExact, stringifyExact } from '../../../../platform/json/index.js';
import type { RefusalReason } from '../../../entitlement/quotas/index.js';
import { type EventRow, PROPERTY_FIELDS, type NormalizedEvent } from '../../fields/index.js';
import type { DerivedLog } from '../log-derivation.js';
import type { LogColumn } from '../normalized-event.js';
import { writtenSize } from '../written-size.js';
import type { Sender, WriteRequest } from '../../event-store/index.js';

/**
 * Returns the refusal reason for the limit that ended a batch. @param ending the name of that limit in the queue, or
 * empty
 */
export function reasonOfEnding(ending: string): RefusalReason | null {
  if (ending === 'month') return 'limit_exceeded';
  return ending === 'day' ? 'daily_limit_exceeded' : null;
}

/** Members whose names in the queue differ from the names of their columns. */
interface QueuedNames {
  readonly timestamp: string;
  readonly externalEventId: string | null;
  readonly log: DerivedLog;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** An event as it is encoded in the queue. Older and newer versions read and write the same format. */
type QueuedEvent = Omit<NormalizedEvent, LogColumn | 'bytes' | 'external_event_id' | keyof QueuedNames> & QueuedNames;

/** A request as it is encoded in the queue. */
interface QueuedRequest {
  readonly sender: Sender;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  readonly events: readonly QueuedEvent[];
  readonly idempotency: { readonly key: string; readonly hash: string; readonly answer: object } | null;
  /** Ids of events with their unique keys in base64. Missing without any. */
  readonly uniqueKeys?: readonly (readonly [id: string, key: string])[];
  /** Missing without a trace. */
  readonly traceparent?: Traceparent;
}

/** A request that was accepted, with the time at which it is counted. */
export type AcceptedRequest = WriteRequest & { readonly acceptedAt: Date };

export function encodeRequest(request: WriteRequest, acceptedAt: Date): string {
  const { sender, events, idempotency, uniqueKeys, traceparent } = request;
  const { organizationId, projectId, sourceId, apiKeyId } = sender;
  const head = JSON.stringify({
    sender: { organizationId, projectId, sourceId, apiKeyId },
    acceptedAt: acceptedAt.getTime(),
    idempotency: idempotency && { ...idempotency, hash: idempotency.hash.toString('base64') },
    ...(uniqueKeys && { uniqueKeys: [...uniqueKeys].map(([id, key]) => [id, key.toString('base64')]) }),
    ...(traceparent && { traceparent }),
  });
  return `${head.slice(0, -1)},"events":[${events.map(encodeEvent).join(',')}]}`;
}

/** Returns the request to write: its admitted events, with the time at which it was accepted. */
export function decodeRequest(text: string, admitted: number, ending: string): AcceptedRequest {
  const { sender, acceptedAt, events, idempotency, uniqueKeys, traceparent } = parseExact(text) as QueuedRequest;
  const why = reasonOfEnding(ending);
  return {
    sender,
    events: events.slice(0, admitted).map(decodeEvent),
    idempotency: idempotency && {
      ...idempotency,
      hash: Buffer.from(idempotency.hash, 'base64'),
      ...(why !== null && { cut: { admitted, why } }),
    },
    ...(uniqueKeys && { uniqueKeys: new Map(uniqueKeys.map(([id, key]) => [id, Buffer.from(key, 'base64')])) }),
    ...(traceparent && { traceparent }),
    acceptedAt: new Date(acceptedAt),
  };
}

function encodeEvent(event: NormalizedEvent): string {
  const { properties, bytes: _, external_event_id, log_method, log_endpoint, log_status, ...more } = event;
  const { log_latency_ms, log_has_latency, ...fields } = more;
  const queued = {
    ...fields,
    externalEventId: external_event_id,
    log: {
      method: log_method,
      endpoint: log_endpoint,
      status: log_status,
      latencyMs: log_latency_ms,
      hasLatency: log_has_latency,
    } satisfies DerivedLog,
  };
  return `${JSON.stringify(queued).slice(0, -1)},"properties":${properties}}`;
}

/** Defaults for fields that an older version, which queued the event, did not have. */
const UNKNOWN = Object.fromEntries(PROPERTY_FIELDS.map(({ column }) => [column, null]));

function decodeEvent({ properties, timestamp, externalEventId, log, ...fields }: QueuedEvent): NormalizedEvent {
  const json = stringifyExact(properties);
  return {
    ...UNKNOWN,
    ...fields,
    external_event_id: externalEventId,
    timestamp: new Date(timestamp),
    properties: json,
    bytes: writtenSize(json),
    ...logColumns(log),
  };
}

/** Returns the derived log values under the names of their columns. */
function logColumns({ method, endpoint, status, latencyMs, hasLatency }: DerivedLog): Pick<EventRow, LogColumn> {
  return {
    log_method: method,
    log_endpoint: endpoint,
    log_status: status,
    log_latency_ms: latencyMs,
    log_has_latency: hasLatency,
  };
}
