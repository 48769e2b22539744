import {
  DateTimeField,
  EnumField,
  IntField,
  NestedField,
  NumberField,
  UuidField,
} from '../../../../platform/http/fields/index.js';
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
  @IntField({ min: 0 })
  open!: number;

  @IntField({ min: 0 })
  acknowledged!: number;

  @IntField({ min: 0 })
  snoozed!: number;

  @IntField({ min: 0 })
  resolved!: number;
}

class CountsBySeverity {
  @IntField({ min: 0 })
  info!: number;

  @IntField({ min: 0 })
  warning!: number;

  @IntField({ min: 0 })
  critical!: number;
}

export class AlertSummaryResponse {
  @UuidField({})
  project_id!: string;

  @IntField({ min: 0 })
  total!: number;

  @IntField({ min: 0 })
  unresolved!: number;

  @NestedField(() => CountsByStatus, {})
  by_status!: CountsByStatus;

  @NestedField(() => CountsBySeverity, {})
  by_severity!: CountsBySeverity;

  @NestedField(() => CountsBySeverity, {})
  unresolved_by_severity!: CountsBySeverity;
}

export class AlertDurations {
  @IntField({ min: 0, description: 'Alert events it happened to' })
  count!: number;

  @NumberField({ min: 0, nullable: true, description: 'Null: it happened to none' })
  median_seconds!: number | null;

  @NumberField({ min: 0, nullable: true })
  p95_seconds!: number | null;
}

export class AlertMetricsResponse {
  @UuidField({})
  project_id!: string;

  @DateTimeField({})
  from_ts!: string;

  @DateTimeField({})
  to_ts!: string;

  @IntField({ min: 0, description: 'Alert events raised in the window' })
  total!: number;

  @NestedField(() => AlertDurations, { description: 'From raising to the first acknowledgement' })
  time_to_acknowledge!: AlertDurations;

  @NestedField(() => AlertDurations, { description: 'From raising to the last resolution, of those that are resolved' })
  time_to_resolve!: AlertDurations;
}
