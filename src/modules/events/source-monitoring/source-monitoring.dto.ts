import {
  BooleanField,
  ConstantField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  NestedField,
  NumberField,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import { EventRecord } from '../fields/index.js';
import { decodeCursor } from '../event-store/index.js';
import { JSON_TYPES, type JsonType } from './property-scan.js';
import { SOURCE_STATUSES, type SourceStatus } from './source-status.js';
import { type Interval, INTERVALS, STATS_RANGES, type StatsRange } from './volume.js';

/** The type of the event that a test of a source sends. */
export const TEST_EVENT_TYPE = 'source.test';

export class SourceStatsQuery {
  @EnumField(STATS_RANGES, { optional: true, default: '24h', description: 'How long the window is' })
  range!: StatsRange;

  @EnumField(INTERVALS, { optional: true, description: 'Left out: hour for 24h, day for the longer ranges' })
  interval?: Interval;
}

export class SourceVolumeResponse {
  @DateTimeField({ description: 'Start of the UTC hour or day' })
  ts!: string;

  @IntField({ min: 0, description: 'Events of the source in this part of the window' })
  events!: number;

  @IntField({ min: 0, description: 'Events with a status of 500 or more' })
  errors!: number;
}

export class SourceTotalsResponse {
  @IntField({ min: 0, description: 'Events of the source in the window' })
  events!: number;

  @IntField({ min: 0, description: 'Those with a status of 500 or more' })
  errors!: number;
}

export class SourceStatsResponse {
  @UuidField({ description: 'The Event Source' })
  source_id!: string;

  @EnumField(STATS_RANGES, { description: 'How long the window is' })
  range!: StatsRange;

  @EnumField(INTERVALS, { description: 'How long a bucket is' })
  interval!: Interval;

  @DateTimeField({ description: 'Start of the hour or day in which the range begins' })
  from_ts!: string;

  @DateTimeField({ description: 'End of the present hour or day, exclusive' })
  to_ts!: string;

  @NestedField(() => SourceTotalsResponse, { description: 'Of the whole window' })
  totals!: SourceTotalsResponse;

  @ListField(nested(() => SourceVolumeResponse), { description: 'Ascending, zeroes included' })
  timeseries!: SourceVolumeResponse[];
}

export class SourceHealthResponse {
  @UuidField({ description: 'The Event Source' })
  source_id!: string;

  @EnumField(SOURCE_STATUSES, {
    description:
      'The first that holds. disabled: switched off. never_seen: no event and no refusal yet. failing: no active key, or at least half of the requests of the last 24 hours were refused. healthy: an event was accepted in the last 24 hours. quiet: none was.',
  })
  status!: SourceStatus;

  @BooleanField({ description: 'False: it is switched off' })
  is_enabled!: boolean;

  @DateTimeField({ nullable: true, description: 'When the newest event was accepted; null: never' })
  last_event_at!: string | null;

  @IntField({ min: 0, description: 'By event timestamp, from the UTC hour in which the last 24 hours begin' })
  events_last_24h!: number;

  @IntField({ min: 0, description: 'Refused requests since the same hour' })
  failures_last_24h!: number;

  @NumberField({ min: 0, max: 1, description: 'Refusals among refusals and events; 0 when there are none' })
  failure_rate!: number;

  @IntField({ min: 0, description: 'Keys that work now' })
  active_keys!: number;
}

export class SourceEventsQuery {
  @IntField({ min: 1, max: 500, optional: true, default: 50, description: 'How many a page has at most' })
  limit!: number;

  @TextField({
    optional: true,
    max: 200,
    description: 'The next_before of another answer: goes on where that one ended',
    check: (text) => (decodeCursor(text) === null ? 'before must be the next_before of an answer' : undefined),
  })
  before?: string;
}

export class SourceEventsResponse {
  @ListField(nested(() => EventRecord), { description: 'Events of this page of the source' })
  items!: EventRecord[];

  @TextField({ nullable: true, description: 'Null: these were the oldest' })
  next_before!: string | null;
}

export class ObservedJsonTypeResponse {
  @EnumField(JSON_TYPES, { description: 'A JSON type that values had' })
  type!: JsonType;

  @IntField({ min: 1, description: 'Events in which it has this type' })
  events!: number;
}

export class ObservedPropertyResponse {
  @TextField({ example: 'lines[].sku', description: 'Names joined by dots; `[]` are the items of a list' })
  path!: string;

  @IntField({ min: 1, description: 'Events that have it' })
  events!: number;

  @ListField(nested(() => ObservedJsonTypeResponse), { description: 'Most frequent first' })
  types!: ObservedJsonTypeResponse[];
}

export class ObservedEventTypeResponse {
  @TextField({ description: 'The event type' })
  event!: string;

  @IntField({ min: 1, description: 'Events of this type in the sample' })
  events!: number;

  @DateTimeField({ description: 'Newest timestamp in the sample' })
  last_seen_at!: string;

  @ListField(nested(() => ObservedPropertyResponse), { description: 'By path' })
  properties!: ObservedPropertyResponse[];

  @BooleanField({ description: 'Properties were left out: too many, too deep, or too long a path' })
  truncated!: boolean;
}

export class SourceSchemaResponse {
  @UuidField({ description: 'The Event Source' })
  source_id!: string;

  @IntField({ min: 0, description: 'How many events were looked at' })
  sampled_events!: number;

  @DateTimeField({ nullable: true, description: 'Timestamps of the sample; null: there are no events' })
  from_ts!: string | null;

  @DateTimeField({ nullable: true, description: 'Time of the newest event looked at; null: there was none' })
  to_ts!: string | null;

  @ListField(nested(() => ObservedEventTypeResponse), { description: 'Most frequent first' })
  event_types!: ObservedEventTypeResponse[];
}

export class SourceTestResponse {
  @ConstantField(true, { description: 'It was taken; what is refused is answered as such' })
  accepted!: true;

  @UuidField({})
  project_id!: string;

  @UuidField({ description: 'The Event Source' })
  source_id!: string;

  @UuidField({ description: 'The event, as the events of the source show it' })
  ingested_event_id!: string;

  @ConstantField(TEST_EVENT_TYPE, { description: 'Of the event that was made' })
  event_type!: typeof TEST_EVENT_TYPE;

  @DateTimeField({ description: 'When it happened' })
  timestamp!: string;
}
