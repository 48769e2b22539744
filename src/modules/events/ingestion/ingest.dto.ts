import { INGEST_MODES } from '../../../config/index.js';
import {
  BooleanField,
  ConstantField,
  DateTimeField,
  EnumField,
  IntField,
  any,
  KindField,
  ListField,
  nested,
  ObjectField,
  schemaOf,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
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
  @ConstantField(true, { description: 'A number in the answer to a batch' })
  accepted!: true;

  @UuidField({})
  project_id!: string;

  @UuidField({ description: 'The API key it was sent with' })
  api_key_id!: string;

  @UuidField({ description: 'Assigned by the service' })
  ingested_event_id!: string;

  @TextField({ nullable: true, description: 'The supplied event_id' })
  external_event_id!: string | null;

  @TextField({ description: 'What kind of event it is' })
  event_type!: string;

  @DateTimeField({ description: 'When it happened' })
  timestamp!: string;

  @ObjectField({ description: 'payload, then properties, then the top-level fields supplied' })
  properties!: Record<string, unknown>;

  @BooleanField({ description: 'A stored idempotent answer was used again' })
  duplicate!: boolean;

  @EnumField(INGEST_MODES, { nullable: true, description: 'How it was taken' })
  ingest_mode!: string | null;

  @BooleanField({
    nullable: true,
    description: 'True: the event was committed before this answer. False: it is safe in the queue',
  })
  persisted_synchronously!: boolean | null;
}

/** The result of one line of a batch. */
export class IngestLineResult {
  @IntField({ min: 1, description: 'From 1; blank lines count and have no result' })
  line!: number;

  @BooleanField({ description: 'Whether it was taken' })
  accepted!: boolean;

  @UuidField({ optional: true, description: 'When it was accepted' })
  ingested_event_id?: string;

  @KindField(any(), {
    optional: true,
    document: { anyOf: [{ type: 'string' }, { type: 'array', items: schemaOf('ValidationRow') }] },
    description: 'When it was not: the detail that a request of its own would be answered',
  })
  detail?: unknown;
}

export class IngestBatchResponse {
  @IntField({ min: 0, description: 'Events of the batch that were taken; `true` in the answer to one event' })
  accepted!: number;

  @IntField({ min: 0, description: 'Events of the batch that were not' })
  rejected!: number;

  @ListField(nested(() => IngestLineResult), { description: 'One for each line that is not blank' })
  results!: IngestLineResult[];

  @ConstantField(true, { optional: true, description: 'When a stored idempotent answer was used again' })
  duplicate?: true;
}
