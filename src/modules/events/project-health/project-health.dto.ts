import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  NestedField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import { type IngestionStatus, STATUSES } from './ingestion-status.js';

export class OnboardingResponse {
  @BooleanField({ description: 'A key opens the project now' })
  has_key!: boolean;

  @BooleanField({ description: 'An event has arrived' })
  has_event!: boolean;

  @BooleanField({ description: 'An event has arrived, so nothing is left to set up' })
  completed!: boolean;
}

export class ProjectHealthResponse {
  @UuidField({})
  project_id!: string;

  @EnumField(STATUSES, {
    description:
      'no_events: none has ever arrived. failing: none can arrive by key, since no key is active or the project is archived. healthy: at least one in the last 24 hours. quiet: none in the last 24 hours.',
  })
  status!: IngestionStatus;

  @DateTimeField({
    nullable: true,
    description:
      'Newest event timestamp, which may lie up to 24 hours ahead; of one that is not kept any more, the beginning of its hour',
  })
  last_event_at!: string | null;

  @IntField({ min: 0, description: 'By event timestamp' })
  events_last_hour!: number;

  @IntField({ min: 0, description: 'By event timestamp' })
  events_last_24h!: number;

  @IntField({ min: 0, description: 'Keys that work now' })
  active_keys!: number;

  @DateTimeField({ nullable: true, description: 'Null: the project takes events' })
  archived_at!: string | null;

  @NestedField(() => OnboardingResponse, { description: 'How far the project has been set up' })
  onboarding!: OnboardingResponse;
}
