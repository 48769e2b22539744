import {
  DateField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';

export const PERIODS = ['24h', '7d', '30d', 'month'] as const;
export type Period = (typeof PERIODS)[number];

export class UsageQuery {
  @UuidField({})
  project_id!: string;

  /** Parsed as text, because an unsupported period has its own error sentence. */
  @TextField({
    optional: true,
    default: '30d',
    document: { enum: PERIODS },
    description: 'The window that ends now; `month` is the present UTC month',
  })
  period!: string;
}

export class EventTotal {
  @TextField({ description: 'The event type' })
  event!: string;

  @IntField({ min: 0, description: 'How many in all' })
  total!: number;
}

export class UsageResponse {
  @UuidField({})
  project_id!: string;

  @TextField({ description: 'Of the project, as it is now' })
  project_name!: string;

  @EnumField(PERIODS, { description: 'How long the window is' })
  period!: Period;

  @DateTimeField({ description: 'Inclusive' })
  from_ts!: string;

  @DateTimeField({ description: 'Exclusive' })
  to_ts!: string;

  @IntField({ min: 0, description: 'Events of the window' })
  total_events!: number;

  @ListField(nested(() => EventTotal), { description: 'Largest first, not truncated' })
  by_event!: EventTotal[];
}

export class DailyUsageQuery {
  @IntField({ min: 1, max: 365, optional: true, default: 30, description: 'How many UTC days, today included' })
  days!: number;
}

export class DayTotal {
  @DateField({ description: 'Of a UTC day' })
  date!: string;

  @IntField({ min: 1, description: 'Events that were accepted on this day' })
  events!: number;
}

export class DailyUsageResponse {
  @UuidField({})
  project_id!: string;

  @ListField(nested(() => DayTotal), { description: 'Ascending; only dates with events' })
  usage!: DayTotal[];
}

export class CurrentUsageResponse {
  @UuidField({ description: 'The organization of the key’s project' })
  organization_id!: string;

  @TextField({ example: '2026-11', description: 'The current UTC month' })
  month!: string;

  @DateField({ description: 'First day of the current UTC month' })
  from_day!: string;

  @DateField({ description: 'First day of the following month' })
  to_day!: string;

  @DateField({ description: 'When the count begins anew: `to_day`' })
  reset_day!: string;

  @IntField({ min: 0, description: 'Events ingested this UTC month across all projects of the organization' })
  events_used!: number;

  @IntField({
    min: 0,
    nullable: true,
    description: "Only the organization's explicit limit; the plan's default is not applied",
  })
  events_limit!: number | null;

  @IntField({ min: 0, nullable: true, description: 'Of the limit; null: unlimited' })
  events_remaining!: number | null;
}
