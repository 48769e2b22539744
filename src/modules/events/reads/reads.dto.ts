import {
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import { decodeCursor, type Interval, INTERVALS } from '../event-store/index.js';
import { ConditionField } from '../time-ranges/index.js';
import { type Range, RANGES } from '../../tenancy/projects/index.js';
import { EventRecord } from '../fields/index.js';

const RANGE_TEXT = 'The window that ends now; all begins in 1970, or with the events that are kept';

export class EventsQuery {
  @UuidField({})
  project_id!: string;

  @IntField({ min: 1, max: 500, optional: true, default: 50, description: 'How many a page has at most' })
  limit!: number;

  @TextField({
    optional: true,
    max: 200,
    description: 'The next_before of the page before this one; left out: from the newest event on',
    check: (text) => (decodeCursor(text) === null ? 'before must be the next_before of an earlier answer' : undefined),
  })
  before?: string;

  @ConditionField()
  where?: string;
}

export class EventsPage {
  @ListField(nested(() => EventRecord), { description: 'Events of this page' })
  items!: EventRecord[];

  @TextField({ nullable: true, description: 'For the query `before` of the next page; null on the last one' })
  next_before!: string | null;
}

export class EventCountsQuery {
  @UuidField({})
  project_id!: string;

  @EnumField(RANGES, { optional: true, default: '24h', description: RANGE_TEXT })
  range!: Range;

  @EnumField(INTERVALS, {
    optional: true,
    description:
      'Left out: minute for 15m and 1h, hour for 24h and 7d, day for 30d and all. Minutes are for 15m, 1h and 24h, hours for everything but all.',
  })
  interval?: Interval;
}

export class EventCount {
  @DateTimeField({ description: 'The UTC beginning of the minute, hour or day' })
  ts!: string;

  @IntField({ min: 0, description: 'Events in this part of the window' })
  events!: number;

  @IntField({ min: 0, description: 'Events whose log status is 500 or more' })
  errors!: number;
}

export class EventCountsResponse {
  @UuidField({})
  project_id!: string;

  @EnumField(RANGES, { description: 'How long the window is' })
  range!: Range;

  @EnumField(INTERVALS, { description: 'How long a bucket is' })
  interval!: Interval;

  @DateTimeField({ description: 'Inclusive' })
  from_ts!: string;

  @DateTimeField({ description: 'Exclusive' })
  to_ts!: string;

  @IntField({ min: 0, description: 'Events of the window' })
  total_events!: number;

  @ListField(nested(() => EventCount), {
    description:
      'Ascending and without gaps; zeroes where nothing happened. The first and the last are cut by the window. For all they begin with the first event.',
  })
  counts!: EventCount[];
}

export class EventNamesQuery {
  @UuidField({})
  project_id!: string;

  @EnumField(RANGES, { optional: true, default: '24h', description: RANGE_TEXT })
  range!: Range;
}

export class EventName {
  @TextField({ example: 'http.request', description: 'The event type' })
  event!: string;

  @IntField({ min: 1, description: 'How many in all' })
  total!: number;
}
