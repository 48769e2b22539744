import type { Selection } from './event-rows.repository.js';
import { type Members, writeObject, WrittenJson } from '../../../platform/http/written-json.js';
import { DateTimeField, ObjectField, TextField, UuidField } from '../../../platform/http/fields/index.js';

/** One row of `events` without its derived columns. */
export interface StoredEvent {
  readonly id: string;
  readonly project_id: string;
  readonly source_id: string | null;
  readonly api_key_id: string | null;
  readonly event: string;
  readonly source: string;
  readonly severity: string | null;
  readonly status: string | null;
  readonly environment: string | null;
  readonly message: string | null;
  readonly external_event_id: string | null;
  /** JSON text. */
  readonly properties: string;
  readonly timestamp: Date;
  readonly created_at: Date;
}

/** The columns of a {@link StoredEvent}, for a SELECT. */
export const EVENT_COLUMNS = `id, project_id, source_id, api_key_id, event, source, severity, status, environment, message,
  external_event_id, properties::text AS properties, "timestamp", created_at`;

/** What is read of an event to be given as an {@link EventRecord}. */
export const RECORDS: Selection<StoredEvent> = { columns: EVENT_COLUMNS };

/** An event as reads give it (DECISIONS 5). */
export class EventRecord {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @UuidField({ nullable: true, description: 'The Event Source of the key; null for keys without one' })
  source_id!: string | null;

  @UuidField({ nullable: true, description: 'Null: recorded from the dashboard' })
  api_key_id!: string | null;

  @TextField({ description: 'The event type', example: 'http.request' })
  event!: string;

  @TextField({ example: 'web' })
  source!: string;

  @TextField({ nullable: true, example: 'info' })
  severity!: string | null;

  @TextField({ nullable: true, example: 'success' })
  status!: string | null;

  @TextField({ nullable: true, example: 'production' })
  environment!: string | null;

  @TextField({ nullable: true })
  message!: string | null;

  @TextField({ nullable: true, description: "The sender's own identifier" })
  external_event_id!: string | null;

  @ObjectField({ description: 'payload, then properties, then the top-level fields supplied' })
  properties!: Record<string, unknown>;

  @DateTimeField({})
  timestamp!: string;

  @DateTimeField({ description: 'When it was accepted' })
  created_at!: string;
}

export function eventRecord(stored: StoredEvent): WrittenJson<EventRecord> {
  return writeObject<EventRecord>(eventMembers(stored));
}

export function eventMembers(stored: StoredEvent): Members<EventRecord> {
  return {
    id: stored.id,
    project_id: stored.project_id,
    source_id: stored.source_id,
    api_key_id: stored.api_key_id,
    event: stored.event,
    source: stored.source,
    severity: stored.severity,
    status: stored.status,
    environment: stored.environment,
    message: stored.message,
    external_event_id: stored.external_event_id,
    properties: new WrittenJson(stored.properties),
    timestamp: stored.timestamp.toISOString(),
    created_at: stored.created_at.toISOString(),
  };
}
