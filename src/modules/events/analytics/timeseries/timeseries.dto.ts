import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  NestedField,
  NumberField,
  TextField,
} from '../../../../platform/http/validation/index.js';
import { TimeZoneField } from '../../../tenancy/projects/index.js';
import {
  type Aggregate,
  AGGREGATES,
  type RequestedInterval,
  BUCKET_INTERVALS,
  type BucketInterval,
  type ScalarValue,
} from '../../event-store/index.js';
import { GroupField, IntervalField, WindowResponse } from '../../time-ranges/index.js';
import { AnalyticsQuery } from '../queries/analytics.dto.js';
import { GROUPED_FIELDS, GroupingField } from '../queries/grouping-field.js';

const COMPARED = ['none', 'previous'] as const;
type Compared = (typeof COMPARED)[number];

export class TimeseriesQuery extends AnalyticsQuery {
  @IntervalField()
  interval!: RequestedInterval;

  @TimeZoneField({
    optional: true,
    description: "Whose days and weeks are meant, by its IANA name; default: the project's",
  })
  timezone?: string;

  @EnumField(AGGREGATES, { optional: true, default: 'count', description: 'What is told of the events of each bucket' })
  aggregate!: Aggregate;

  @TextField({
    max: 200,
    optional: true,
    example: 'properties.amount',
    description:
      'What is aggregated: a field of conditions that holds numbers or `properties.<path>`, for `unique` any field. Needed by all but `count`, `errors` and `error_rate`, which take none',
  })
  aggregate_field?: string;

  @GroupingField('split_by', GROUPED_FIELDS, {
    optional: true,
    example: 'event',
    description: 'One series for each value of a field',
  })
  split_by?: string;

  @IntField({ min: 1, max: 20, optional: true, default: 5, description: 'Series of a split, largest total first' })
  top!: number;

  @EnumField(COMPARED, { optional: true, default: 'none', description: 'Whether the window before is told as well' })
  compare!: Compared;
}

export class TimeseriesPoint {
  @DateTimeField({ description: 'The beginning of the bucket; the first may lie before from_ts' })
  ts!: string;

  @NumberField({ nullable: true, description: 'Null: there is nothing to aggregate' })
  value!: number | null;
}

export class WholeSeries {
  @NumberField({ nullable: true, description: 'The aggregate over the whole window' })
  total!: number | null;

  @ListField(nested(() => TimeseriesPoint), { description: 'Every bucket that has a part in the window, ascending' })
  points!: TimeseriesPoint[];
}

export class ValueSeries extends WholeSeries {
  @GroupField({
    nullable: true,
    description: 'Text of up to 200 characters, number or truth value; null without a split, and without the field',
  })
  value!: ScalarValue | null;

  @BooleanField({ description: 'Whether these are the events without the field, or with a list or an object there' })
  is_missing!: boolean;
}

export class TimeseriesResponse extends WindowResponse {
  @EnumField(BUCKET_INTERVALS, { description: 'How long a bucket is' })
  interval!: BucketInterval;

  @TextField({ description: 'IANA name' })
  timezone!: string;

  @EnumField(AGGREGATES, { description: 'What the values are' })
  aggregate!: Aggregate;

  @TextField({ nullable: true, description: 'The field that makes series; null: one series' })
  split_by!: string | null;

  @ListField(nested(() => ValueSeries), { description: 'Largest total first, then by value; one without a split' })
  series!: ValueSeries[];

  @NestedField(() => ValueSeries, {
    nullable: true,
    description:
      'All values beyond `top` together; null without a split, without such values, and for aggregates other than count, errors and sum',
  })
  other!: ValueSeries | null;

  @NestedField(() => WholeSeries, {
    nullable: true,
    description: 'The window before, without a split; null unless compared, and for all',
  })
  previous!: WholeSeries | null;
}
