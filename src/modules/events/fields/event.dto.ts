import { atMostAhead, DateTimeField, ObjectField, TextField, UuidField } from '../../../platform/http/fields/index.js';
import type { ReadColumn } from './event-fields.js';

/** One event as it is sent (SERVICE 2.7). Its members are the sent fields of the table, payload and properties apart. */
export class IngestRequest {
  @TextField({ min: 1, max: 200, example: 'http.request' })
  event_type!: string;

  @TextField({ min: 1, max: 200, example: 'web' })
  source!: string;

  @TextField({ min: 1, max: 200, optional: true, description: 'Your own identifier; returned as external_event_id' })
  event_id?: string;

  @DateTimeField({
    optional: true,
    check: atMostAhead('timestamp', 24),
    description: 'Defaults to the time of arrival; more than 24 hours ahead is refused',
  })
  timestamp?: Date;

  @TextField({ min: 1, max: 50, optional: true, example: 'info' })
  severity?: string;

  @TextField({ min: 1, max: 2000, optional: true })
  message?: string;

  @TextField({ min: 1, max: 100, optional: true, example: 'success' })
  status?: string;

  @TextField({ min: 1, max: 100, optional: true, example: 'production' })
  environment?: string;

  @ObjectField({ optional: true, example: { method: 'GET', path: '/cart', status_code: 200, latency_ms: 41 } })
  payload?: Record<string, unknown>;

  @ObjectField({ optional: true, description: 'Wins over payload where both have a key' })
  properties?: Record<string, unknown>;
}

/** An event as reads give it (DECISIONS 5). */
export class EventRecord implements Readonly<Record<ReadColumn, unknown>> {
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
