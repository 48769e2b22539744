import {
  DateTimeField,
  IntField,
  ListField,
  nested,
  NestedField,
  NumberField,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';

export class DashboardTotals {
  @IntField({ min: 0, description: 'Events in the window' })
  events!: number;

  @IntField({ min: 0, description: 'Events whose log status is 500 or more' })
  errors!: number;

  @NumberField({ min: 0, max: 1, description: 'errors / events; 0 without events' })
  error_rate!: number;

  @IntField({
    min: 0,
    nullable: true,
    description:
      'Of the events that carry a latency, by nearest rank; null when none does. Exact up to 5,000 events, above that within 1 % or one millisecond',
  })
  p50_latency_ms!: number | null;

  @IntField({
    min: 0,
    nullable: true,
    description: '95th percentile of the latency, in whole milliseconds; null: nothing was measured',
  })
  p95_latency_ms!: number | null;
}

export class DashboardHour {
  @DateTimeField({ description: 'The UTC beginning of the hour' })
  ts!: string;

  @IntField({ min: 0, description: 'Events of this hour' })
  events!: number;

  @IntField({ min: 0, description: 'Those with a status of 500 or more' })
  errors!: number;
}

export class DashboardEvent {
  @TextField({ description: 'The event type' })
  event!: string;

  @IntField({ min: 1, description: 'How many in all' })
  total!: number;
}

export class DashboardSource {
  @UuidField({})
  id!: string;

  @TextField({ description: 'Name of the Event Source' })
  name!: string;

  @IntField({ min: 0, description: 'In the window, by event timestamp' })
  events!: number;

  @DateTimeField({ nullable: true, description: 'When the newest event of the source was accepted; null: none yet' })
  last_event_at!: string | null;
}

export class DashboardDeliveries {
  @IntField({ min: 0, description: 'Those that have arrived' })
  sent!: number;

  @IntField({ min: 0, description: 'Those that failed' })
  failed!: number;

  @IntField({ min: 0, description: 'Those that are dead letters now' })
  dlq!: number;
}

export class DashboardUsage {
  @IntField({ min: 0, description: 'Events of the organization this UTC month' })
  events_used!: number;

  @IntField({ min: 0, nullable: true, description: 'Effective monthly limit; null: unlimited' })
  events_limit!: number | null;
}

export class DashboardResponse {
  @UuidField({})
  project_id!: string;

  @TextField({ description: 'Of the project, as it is now' })
  project_name!: string;

  @DateTimeField({ description: 'Inclusive; 24 hours before to_ts' })
  from_ts!: string;

  @DateTimeField({ description: 'Exclusive; now' })
  to_ts!: string;

  @NestedField(() => DashboardTotals, { description: 'Of the whole window' })
  totals!: DashboardTotals;

  @ListField(nested(() => DashboardHour), {
    description: 'Ascending, hour by hour, with zeroes; the first and the last hour are cut by the window',
  })
  timeseries!: DashboardHour[];

  @ListField(nested(() => DashboardEvent), { description: 'The ten most frequent, largest first' })
  top_events!: DashboardEvent[];

  @ListField(nested(() => DashboardSource), { description: 'Every Event Source of the project, busiest first' })
  sources!: DashboardSource[];

  @IntField({ min: 0, description: 'Alert events that are open now' })
  open_alerts!: number;

  @NestedField(() => DashboardDeliveries, { description: 'Delivery attempts made in the window' })
  deliveries!: DashboardDeliveries;

  @NestedField(() => DashboardUsage, { description: 'Of the allowance of this month' })
  usage!: DashboardUsage;
}
