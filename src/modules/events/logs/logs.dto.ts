import {
  BooleanField,
  ConstantField,
  DateTimeField,
  EnumField,
  IntField,
  NestedField,
  ObjectField,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import { AskedWindow, ConditionField } from '../time-ranges/index.js';

export class LogsQuery extends AskedWindow {
  @UuidField({})
  project_id!: string;

  @TextField({
    optional: true,
    max: 200,
    description: 'Case-insensitive exact match; ALL disables the filter',
    example: 'GET',
  })
  method?: string;

  @BooleanField({ optional: true, default: false, description: 'Leaves out the endpoints /health and /favicon.ico' })
  hide_noise!: boolean;

  @TextField({
    optional: true,
    max: 200,
    description: 'Case-insensitive substring of endpoint, method, event name or project name',
  })
  query?: string;

  @ConditionField()
  where?: string;

  @UuidField({
    optional: true,
    description: 'The `id` of a row: only the rows that follow it in the list. Left out: from the newest row on',
  })
  before?: string;

  @IntField({ min: 1, max: 500, optional: true, default: 100, description: 'How many rows come at most' })
  limit!: number;
}

export class LogStreamQuery {
  @UuidField({})
  project_id!: string;
}

const LATENCY_BUCKETS = ['fast', 'slow', 'very_slow'] as const;
const LATENCY_COLORS = ['green', 'yellow', 'red'] as const;

export class LogRow {
  @UuidField({})
  id!: string;

  @DateTimeField({ description: 'When it happened' })
  timestamp!: string;

  @TextField({ example: 'GET', description: 'HTTP method, sent or derived; `EVENT` where there is none' })
  method!: string;

  @TextField({ example: '/cart', description: 'Path, sent or derived' })
  endpoint!: string;

  @IntField({ example: 200, description: 'HTTP status, sent or derived' })
  status!: number;

  @IntField({ min: 0, example: 41, description: 'In whole milliseconds; 0 where none was sent' })
  latency_ms!: number;

  @EnumField(LATENCY_BUCKETS, { description: 'Under 100 ms, under 300 ms, and above' })
  latency_bucket!: (typeof LATENCY_BUCKETS)[number];

  @EnumField(LATENCY_COLORS, { description: 'That of the bucket' })
  latency_color!: (typeof LATENCY_COLORS)[number];

  @TextField({
    example: '0199f3a1',
    description: 'Sent, or the beginning of the key’s id; `dashboard` where there is none',
  })
  api_key_prefix!: string;

  @TextField({ description: 'Of the project, as it is now' })
  project!: string;

  @ObjectField({ description: 'Sent, or made of the event' })
  request_body!: Record<string, unknown>;

  @ObjectField({ description: 'Sent, or made up' })
  response_body!: Record<string, unknown>;
}

/** A message of the log stream. */
export class LogMessage {
  @ConstantField('log', { description: 'Of the message' })
  type!: 'log';

  @NestedField(() => LogRow, { description: 'As `GET /v1/logs` lists it' })
  log!: LogRow;
}
