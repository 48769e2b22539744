import type { Redact } from '../../tenancy/projects/index.js';
import type { DerivedLog } from './log-derivation.js';
import { deriveLog } from './log-derivation.js';
import type { IngestRequest } from './ingest.dto.js';
import { writtenSize } from './written-size.js';

/** An event as it is stored: one row of `events`. */
export interface NormalizedEvent {
  readonly id: string;
  readonly event: string;
  readonly source: string;
  readonly severity: string | null;
  readonly status: string | null;
  readonly environment: string | null;
  readonly message: string | null;
  readonly externalEventId: string | null;
  /** The properties as JSON text: as objects they may take twenty times as much while the event waits to be stored. */
  readonly json: string;
  /** Of the properties as reads give them. */
  readonly bytes: number;
  readonly timestamp: Date;
  readonly log: DerivedLog;
}

/** The fields that are properties, too, and take the place of a property of their name. */
export const REPEATED = ['source', 'severity', 'message', 'status', 'environment', 'event_id'] as const;

/**
 * Properties are payload, then properties, then the top-level fields supplied (SERVICE 2.7).
 * Built from entries, so that a key such as `__proto__` stays plain data. What `redact` masks is in no column either:
 * the stored fields and the log are taken from the masked properties.
 */
export function normalizeEvent(request: IngestRequest, id: string, arrivedAt: Date, redact: Redact): NormalizedEvent {
  const topLevel = REPEATED.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]] as const]));
  const properties = redact(
    Object.fromEntries<unknown>([
      ...Object.entries(request.payload ?? {}),
      ...Object.entries(request.properties ?? {}),
      ...topLevel,
    ]),
  );
  const json = JSON.stringify(properties);
  const supplied = (name: (typeof REPEATED)[number]): string | null =>
    request[name] === undefined ? null : (properties[name] as string);
  return {
    id,
    event: request.event_type,
    source: supplied('source') ?? request.source,
    severity: supplied('severity'),
    status: supplied('status'),
    environment: supplied('environment'),
    message: supplied('message'),
    externalEventId: supplied('event_id'),
    json,
    bytes: writtenSize(json),
    timestamp: request.timestamp ?? arrivedAt,
    log: deriveLog({ event: request.event_type, properties }),
  };
}
