import {
  DateTimeField,
  EnumField,
  IntField,
  NestedField,
  NumberField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { type Range, RANGES } from '../../../tenancy/projects/index.js';
import { AlertWindowQuery } from '../events/alert-events.dto.js';

export class AlertMetricsQuery extends AlertWindowQuery {
  @EnumField(RANGES, {
    optional: true,
    default: '30d',
    description: 'Raised in the window that ends at to_ts, or now. Without effect where from_ts is given',
  })
  declare range: Range;
}

class CountsByStatus {
  @IntField({ min: 0, description: 'Nobody has taken them on yet' })
  open!: number;

  @IntField({ min: 0, description: 'Somebody has taken them on' })
  acknowledged!: number;

  @IntField({ min: 0, description: 'Silent for a while' })
  snoozed!: number;

  @IntField({ min: 0, description: 'Over' })
  resolved!: number;
}

class CountsBySeverity {
  @IntField({ min: 0, description: 'Of severity `info`' })
  info!: number;

  @IntField({ min: 0, description: 'Of severity `warning`' })
  warning!: number;

  @IntField({ min: 0, description: 'Of severity `critical`' })
  critical!: number;
}

export class AlertSummaryResponse {
  @UuidField({})
  project_id!: string;

  @IntField({ min: 0, description: 'Alert events of the window' })
  total!: number;

  @IntField({ min: 0, description: 'Those that are not resolved yet' })
  unresolved!: number;

  @NestedField(() => CountsByStatus, { description: 'Numbers by status' })
  by_status!: CountsByStatus;

  @NestedField(() => CountsBySeverity, { description: 'Numbers by severity' })
  by_severity!: CountsBySeverity;

  @NestedField(() => CountsBySeverity, { description: 'Of those not resolved yet, by severity' })
  unresolved_by_severity!: CountsBySeverity;
}

export class AlertDurations {
  @IntField({ min: 0, description: 'Alert events it happened to' })
  count!: number;

  @NumberField({ min: 0, nullable: true, description: 'Null: it happened to none' })
  median_seconds!: number | null;

  @NumberField({ min: 0, nullable: true, description: '95th percentile, in seconds; null: nothing to measure' })
  p95_seconds!: number | null;
}

export class AlertMetricsResponse {
  @UuidField({})
  project_id!: string;

  @DateTimeField({ description: 'Where the window begins, inclusive' })
  from_ts!: string;

  @DateTimeField({ description: 'Where the window ends, exclusive' })
  to_ts!: string;

  @IntField({ min: 0, description: 'Alert events raised in the window' })
  total!: number;

  @NestedField(() => AlertDurations, { description: 'From raising to the first acknowledgement' })
  time_to_acknowledge!: AlertDurations;

  @NestedField(() => AlertDurations, { description: 'From raising to the last resolution, of those that are resolved' })
  time_to_resolve!: AlertDurations;
}
