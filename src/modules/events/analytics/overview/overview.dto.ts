import {
  DateTimeField,
  IntField,
  ListField,
  nested,
  NestedField,
  NumberField,
  TextField,
} from '../../../../platform/http/validation/index.js';
import { WindowResponse } from '../../time-ranges/index.js';
import { AnalyticsQuery, ChangeField, ShareField } from '../queries/analytics.dto.js';

export class OverviewQuery extends AnalyticsQuery {}

export class OverviewTotals {
  @IntField({ min: 0, description: 'Events in the window' })
  events!: number;

  @IntField({ min: 0, description: 'Events whose log status is 500 or more' })
  errors!: number;

  @ShareField('errors / events; 0 without events')
  error_rate!: number;

  @IntField({ min: 0, description: 'Different ones' })
  event_types!: number;

  @IntField({ min: 0, description: 'Event Sources that sent' })
  sources!: number;

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

export class OverviewChange {
  @ChangeField()
  events!: number | null;

  @ChangeField()
  errors!: number | null;

  @NumberField({ min: -1, max: 1, description: 'The difference' })
  error_rate!: number;

  @ChangeField()
  event_types!: number | null;

  @ChangeField()
  sources!: number | null;

  @ChangeField()
  p50_latency_ms!: number | null;

  @ChangeField()
  p95_latency_ms!: number | null;
}

export class SeverityEvents {
  @TextField({ nullable: true, description: 'Null: no severity' })
  value!: string | null;

  @IntField({ min: 1, description: 'Events of this severity' })
  events!: number;
}

export class TopEvent {
  @TextField({ description: 'Event type' })
  value!: string;

  @IntField({ min: 1, description: 'Events of this type' })
  events!: number;

  @IntField({ min: 0, nullable: true, description: 'In the window before; null where there is none' })
  previous_events!: number | null;

  @ChangeField()
  change!: number | null;
}

export class OverviewResponse extends WindowResponse {
  @NestedField(() => OverviewTotals, { description: 'Of the whole window' })
  totals!: OverviewTotals;

  @NestedField(() => OverviewTotals, {
    nullable: true,
    description:
      'Of the window before, which is as long and ends where this one begins; null for all, and where its events are not kept any more',
  })
  previous!: OverviewTotals | null;

  @NestedField(() => OverviewChange, { nullable: true, description: 'Null where there is no window before' })
  change!: OverviewChange | null;

  @ListField(nested(() => SeverityEvents), { description: 'Most events first, 100 at most' })
  by_severity!: SeverityEvents[];

  @ListField(nested(() => TopEvent), { description: 'The ten most frequent event types, most events first' })
  top_events!: TopEvent[];

  @DateTimeField({ nullable: true, description: 'The newest timestamp in the window; null without events' })
  last_event_at!: string | null;
}
