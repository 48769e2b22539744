import {
  atMostAhead,
  DateTimeField,
  ObjectField,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import type { ReadColumn } from './event-fields.js';

/** One event as it is sent. Its members are the sent fields of the table, `payload` and `properties`. */
export class IngestRequest {
  @TextField({ min: 1, max: 200, example: 'http.request', description: 'What kind of event it is' })
  event_type!: string;

  @TextField({ min: 1, max: 200, example: 'web', description: 'Where the sender says it comes from' })
  source!: string;

  @TextField({ min: 1, max: 200, optional: true, description: 'Your own identifier; returned as external_event_id' })
  event_id?: string;

  @DateTimeField({
    optional: true,
    check: atMostAhead('timestamp', 24),
    description: 'Defaults to the time of arrival; more than 24 hours ahead is refused',
  })
  timestamp?: Date;

  @TextField({
    min: 1,
    max: 50,
    optional: true,
    example: 'info',
    description: 'How bad it is; `critical` and `warning` decide the status of the log row where nothing else does',
  })
  severity?: string;

  @TextField({ min: 1, max: 2000, optional: true, description: 'What happened, for people' })
  message?: string;

  @TextField({
    min: 1,
    max: 100,
    optional: true,
    example: 'success',
    description: 'How it went, in the sender’s words; `failed`, `failure` and `error` count as 500',
  })
  status?: string;

  @TextField({
    min: 1,
    max: 100,
    optional: true,
    example: 'production',
    description: 'Where it ran, in the sender’s words',
  })
  environment?: string;

  @ObjectField({
    optional: true,
    example: { method: 'GET', path: '/cart', status_code: 200, latency_ms: 41 },
    description: 'Properties of the event, as free JSON; `properties` wins',
  })
  payload?: Record<string, unknown>;

  @ObjectField({ optional: true, description: 'Wins over payload where both have a key' })
  properties?: Record<string, unknown>;
}

/** An event as reads return it. */
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

  @TextField({ example: 'web', description: 'Where the sender says it comes from' })
  source!: string;

  @TextField({ nullable: true, example: 'info', description: 'In the sender’s words' })
  severity!: string | null;

  @TextField({ nullable: true, example: 'success', description: 'How it went, in the sender’s words' })
  status!: string | null;

  @TextField({ nullable: true, example: 'production', description: 'Where it ran, in the sender’s words' })
  environment!: string | null;

  @TextField({ nullable: true, description: 'In the sender’s words' })
  message!: string | null;

  @TextField({ nullable: true, description: "The sender's own identifier" })
  external_event_id!: string | null;

  @ObjectField({ description: 'payload, then properties, then the top-level fields supplied' })
  properties!: Record<string, unknown>;

  @DateTimeField({ description: 'When it happened' })
  timestamp!: string;

  @DateTimeField({ description: 'When it was accepted' })
  created_at!: string;
}
