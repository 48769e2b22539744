import { stringifyExact } from '../../../platform/json/index.js';
import type { Redact } from '../../tenancy/projects/index.js';
import { type IngestRequest, type NormalizedEvent, PROPERTY_FIELDS, type PropertyColumn } from '../fields/index.js';
import { deriveLog } from './log-derivation.js';
import { writtenSize } from './written-size.js';

export type LogColumn = 'log_method' | 'log_endpoint' | 'log_status' | 'log_latency_ms' | 'log_has_latency';

/**
 * Merges `payload`, then `properties`, then the supplied top-level fields into the properties of the event. A value
 * that `redact` masks is in no column: the stored fields and the log are read from the masked properties.
 */
export function normalizeEvent(request: IngestRequest, id: string, arrivedAt: Date, redact: Redact): NormalizedEvent {
  const properties = redact(allProperties(request));
  const json = stringifyExact(properties);
  const { method, endpoint, status, latencyMs, hasLatency } = deriveLog({ event: request.event_type, properties });
  const event: Omit<NormalizedEvent, PropertyColumn> & Partial<Record<PropertyColumn, unknown>> = {
    id,
    event: request.event_type,
    timestamp: request.timestamp ?? arrivedAt,
    properties: json,
    bytes: writtenSize(json),
    log_method: method,
    log_endpoint: endpoint,
    log_status: status,
    log_latency_ms: latencyMs,
    log_has_latency: hasLatency,
  };
  // Assigning the fields one by one is cheaper than spreading a new object.
  for (const { column, name } of PROPERTY_FIELDS) {
    event[column] = request[name] === undefined ? null : properties[name];
  }
  return event as NormalizedEvent;
}

/**
 * Assigns to a literal, because V8 makes a hidden class for each object that is copied by spread and then grows. Such a
 * class takes 20 µs and stays until the next full collection. Only a spread keeps a member `__proto__` as plain data.
 */
function allProperties(request: IngestRequest): Record<string, unknown> {
  const { payload, properties } = request;
  const supplied: Record<string, unknown> = {};
  for (const { name } of PROPERTY_FIELDS) {
    const value = request[name];
    if (value !== undefined) supplied[name] = value;
  }
  return namesPrototype(payload) || namesPrototype(properties)
    ? { ...payload, ...properties, ...supplied }
    : Object.assign({}, payload, properties, supplied);
}

function namesPrototype(members: object | null | undefined): boolean {
  return typeof members === 'object' && members !== null && Object.hasOwn(members, '__proto__');
}
