import {
  AnyField,
  BooleanField,
  DateTimeField,
  IntField,
  ListField,
  nested,
  ObjectField,
  TextField,
  UuidField,
} from '../../../platform/http/fields/index.js';
import { IngestRequest } from '../fields/index.js';

export class RecordEventRequest extends IngestRequest {
  @UuidField({})
  project_id!: string;
}

export class IngestHeaders {
  @TextField({
    name: 'Idempotency-Key',
    optional: true,
    min: 1,
    max: 200,
    trim: true,
    secret: false,
    description:
      'Names the request for 24 hours: repeated with the same body it is answered as before, with `duplicate` true; with another body it is refused',
  })
  idempotency_key?: string;
}

export class IngestResponse {
  @BooleanField({ example: true })
  accepted!: boolean;

  @UuidField({})
  project_id!: string;

  @UuidField({})
  api_key_id!: string;

  @UuidField({ description: 'Assigned by the service' })
  ingested_event_id!: string;

  @TextField({ nullable: true, description: 'The supplied event_id' })
  external_event_id!: string | null;

  @TextField({})
  event_type!: string;

  @DateTimeField({})
  timestamp!: string;

  @ObjectField({ description: 'payload, then properties, then the top-level fields supplied' })
  properties!: Record<string, unknown>;

  @BooleanField({ description: 'A stored idempotent answer was used again' })
  duplicate!: boolean;

  @TextField({ nullable: true, example: 'batched' })
  ingest_mode!: string | null;

  @BooleanField({
    nullable: true,
    description: 'True: the event was committed before this answer. False: it is safe in the queue',
  })
  persisted_synchronously!: boolean | null;
}

/** What became of one line of a batch. */
export class IngestLineResult {
  @IntField({ min: 1, description: 'From 1; blank lines count and have no result' })
  line!: number;

  @BooleanField({})
  accepted!: boolean;

  @UuidField({ optional: true, description: 'When it was accepted' })
  ingested_event_id?: string;

  @AnyField({ optional: true, description: 'When it was not: the detail that a request of its own would be answered' })
  detail?: unknown;
}

export class IngestBatchResponse {
  @IntField({ min: 0 })
  accepted!: number;

  @IntField({ min: 0 })
  rejected!: number;

  @ListField(nested(() => IngestLineResult), {})
  results!: IngestLineResult[];

  @BooleanField({ optional: true, description: 'True when a stored idempotent answer was used again' })
  duplicate?: true;
}
