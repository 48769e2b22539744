import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  ObjectField,
  TextField,
  UuidField,
} from '../../../platform/http/fields/index.js';
import { type Range, RANGES } from '../../tenancy/projects/index.js';

export class LogsQuery {
  @UuidField({})
  project_id!: string;

  @EnumField(RANGES, { optional: true, default: '24h', description: 'The window that ends now; all begins in 1970' })
  range!: Range;

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

  @IntField({ min: 1, max: 500, optional: true, default: 100 })
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

  @DateTimeField({})
  timestamp!: string;

  @TextField({ example: 'GET' })
  method!: string;

  @TextField({ example: '/cart' })
  endpoint!: string;

  @IntField({ example: 200 })
  status!: number;

  @IntField({ min: 0, example: 41 })
  latency_ms!: number;

  @EnumField(LATENCY_BUCKETS, { description: 'Under 100 ms, under 300 ms, and above' })
  latency_bucket!: (typeof LATENCY_BUCKETS)[number];

  @EnumField(LATENCY_COLORS, {})
  latency_color!: (typeof LATENCY_COLORS)[number];

  @TextField({ example: '0199f3a1' })
  api_key_prefix!: string;

  @TextField({})
  project!: string;

  @ObjectField({})
  request_body!: Record<string, unknown>;

  @ObjectField({})
  response_body!: Record<string, unknown>;
}
