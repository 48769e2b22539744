import { IntField, ListField, nested, NestedField, TextField } from '../../../../platform/http/validation/index.js';
import { GroupField, WindowResponse } from '../../time-ranges/index.js';
import { AnalyticsQuery, ChangeField, ShareField } from '../queries/analytics.dto.js';
import { GROUPED_FIELDS, GroupingField } from '../queries/grouping-field.js';
import type { ScalarValue } from '../../event-store/index.js';

export class BreakdownQuery extends AnalyticsQuery {
  @GroupingField('by', GROUPED_FIELDS, { example: 'event' })
  by!: string;

  @IntField({ min: 1, max: 100, optional: true, default: 10, description: 'How many a page has at most' })
  limit!: number;
}

export class EventsAndErrors {
  @IntField({ min: 0, description: 'Events, errors among them' })
  events!: number;

  @IntField({ min: 0, description: 'Events whose log status is 500 or more' })
  errors!: number;
}

export class BreakdownItem extends EventsAndErrors {
  @GroupField({ description: 'Text of up to 200 characters, number or truth value' })
  value!: ScalarValue;

  @TextField({ optional: true, nullable: true, description: 'Of source_id alone: its name; null where it is gone' })
  name?: string | null;

  @ShareField('errors / events')
  error_rate!: number;

  @ShareField('events / all events')
  share!: number;

  @IntField({ min: 0, nullable: true, description: 'In the window before; null where there is none' })
  previous_events!: number | null;

  @ChangeField()
  change!: number | null;
}

export class BreakdownOther extends EventsAndErrors {
  @IntField({ min: 0, description: 'How many values these are' })
  values!: number;
}

export class BreakdownResponse extends WindowResponse {
  @TextField({ description: 'The field' })
  by!: string;

  @NestedField(() => EventsAndErrors, { description: 'Of the whole window' })
  total!: EventsAndErrors;

  @IntField({ min: 0, description: 'Values that there are, the missing one not counted' })
  distinct!: number;

  @ListField(nested(() => BreakdownItem), {
    description: 'Most events first, then text before numbers before truth values, each by value',
  })
  items!: BreakdownItem[];

  @NestedField(() => EventsAndErrors, { description: 'Events without the field, or with a list or an object there' })
  missing!: EventsAndErrors;

  @NestedField(() => BreakdownOther, { description: 'All values beyond the items' })
  other!: BreakdownOther;
}
