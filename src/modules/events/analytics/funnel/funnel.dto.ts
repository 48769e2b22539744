import {
  IntField,
  ListField,
  nested,
  NumberField,
  text,
  TextField,
} from '../../../../platform/http/validation/index.js';
import { WindowResponse } from '../../time-ranges/index.js';
import { AnalyticsQuery, ShareField } from '../queries/analytics.dto.js';
import { FOLLOWED_FIELDS, GroupingField } from '../queries/grouping-field.js';

export class FunnelQuery extends AnalyticsQuery {
  @ListField(text({ min: 1, max: 200 }), {
    min: 2,
    max: 10,
    example: ['cart.opened', 'order.placed'],
    description: 'An event type for each step, in their order; types may come again',
  })
  step!: string[];

  @GroupingField('by', FOLLOWED_FIELDS, { example: 'properties.user', description: 'Whose events make a chain' })
  by!: string;

  @IntField({
    min: 1,
    max: 2_592_000,
    optional: true,
    default: 604_800,
    description: 'From the first event of a chain to its last at most',
  })
  within_seconds!: number;
}

export class FunnelStep {
  @IntField({ min: 1, description: 'From 1' })
  step!: number;

  @TextField({ description: 'Event type' })
  event!: string;

  @IntField({ min: 0, description: 'Values with a chain up to this step' })
  reached!: number;

  @ShareField('Of those that reached step 1')
  conversion!: number;

  @ShareField('Of those that reached the step before')
  step_conversion!: number;

  @IntField({ min: 0, description: 'Values that did not reach the next step; 0 at the last one' })
  dropped!: number;

  @NumberField({
    min: 0,
    nullable: true,
    description:
      'From the first event of a chain to this step, of each value its shortest, by nearest rank; null at step 1 and where none reached',
  })
  median_seconds!: number | null;

  @NumberField({ min: 0, nullable: true, description: '95th percentile, in seconds; null: nothing to measure' })
  p95_seconds!: number | null;
}

export class FunnelResponse extends WindowResponse {
  @TextField({ description: 'The field' })
  by!: string;

  @IntField({ description: 'How long a chain may last, in seconds' })
  within_seconds!: number;

  @ListField(nested(() => FunnelStep), { description: 'In their order' })
  steps!: FunnelStep[];

  @ShareField('Of those that reached step 1, the share that reached the last one; 0 where none began')
  conversion!: number;

  @IntField({ min: 0, description: 'Values that have an event of any step' })
  values!: number;
}
