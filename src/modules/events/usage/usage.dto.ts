import {
  DateField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  TextField,
  UuidField,
} from '../../../platform/http/fields/index.js';

export const PERIODS = ['24h', '7d', '30d', 'month'] as const;
export type Period = (typeof PERIODS)[number];

export class UsageQuery {
  @UuidField({})
  project_id!: string;

  /** Read as text: SERVICE 7.2 gives an unsupported one a sentence of its own. */
  @TextField({ optional: true, default: '30d', description: `One of ${PERIODS.join(', ')}`, example: '30d' })
  period!: string;
}

export class EventTotal {
  @TextField({})
  event!: string;

  @IntField({ min: 0 })
  total!: number;
}

export class UsageResponse {
  @UuidField({})
  project_id!: string;

  @TextField({})
  project_name!: string;

  @EnumField(PERIODS, {})
  period!: Period;

  @DateTimeField({ description: 'Inclusive' })
  from_ts!: string;

  @DateTimeField({ description: 'Exclusive' })
  to_ts!: string;

  @IntField({ min: 0 })
  total_events!: number;

  @ListField(nested(() => EventTotal), { description: 'Largest first, not truncated' })
  by_event!: EventTotal[];
}

export class DailyUsageQuery {
  @IntField({ min: 1, max: 365, optional: true, default: 30 })
  days!: number;
}

export class DayTotal {
  @DateField({})
  date!: string;

  @IntField({ min: 1 })
  events!: number;
}

export class DailyUsageResponse {
  @UuidField({})
  project_id!: string;

  @ListField(nested(() => DayTotal), { description: 'Ascending; only dates with events' })
  usage!: DayTotal[];
}

export class CurrentUsageResponse {
  @UuidField({})
  organization_id!: string;

  @TextField({ example: '2026-11' })
  month!: string;

  @DateField({})
  from_day!: string;

  @DateField({ description: 'First day of the following month' })
  to_day!: string;

  @DateField({})
  reset_day!: string;

  @IntField({ min: 0, description: 'Events ingested this UTC month across all projects of the organization' })
  events_used!: number;

  @IntField({
    min: 0,
    nullable: true,
    description: "Only the organization's explicit limit; the plan's default is not applied",
  })
  events_limit!: number | null;

  @IntField({ min: 0, nullable: true })
  events_remaining!: number | null;
}
