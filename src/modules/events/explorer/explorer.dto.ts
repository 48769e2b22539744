import {
  BooleanField,
  EnumField,
  IntField,
  ListField,
  nested,
  NestedField,
  object,
  schemaOf,
  text,
  TextField,
} from '../../../platform/http/validation/index.js';
import { pathOfProperty } from '../conditions/index.js';
import type { ScalarValue } from '../event-store/index.js';
import { EventRecord } from '../fields/index.js';
import { LogRow } from '../logs/index.js';
import { ConditionalFilters, GroupField, WindowResponse } from '../time-ranges/index.js';

export class ExplorerQuery extends ConditionalFilters {
  @IntField({ min: 1, max: 500, optional: true, default: 50, description: 'How many a page has at most' })
  limit!: number;

  @IntField({
    min: 0,
    max: 9_007_199_254_740_991,
    optional: true,
    default: 0,
    description: 'How many came before this page',
  })
  offset!: number;
}

const PROPERTY_OF_FACETS = text({
  max: 200,
  check: (field) => (pathOfProperty(field) === null ? 'by must be properties.<path>' : undefined),
});

export class FacetsQuery extends ConditionalFilters {
  @ListField(PROPERTY_OF_FACETS, {
    optional: true,
    max: 10,
    example: ['properties.plan'],
    description: 'Properties whose values are counted, too: `properties.<path>`, once for each',
  })
  by?: string[];
}

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export class ExportRequest extends ConditionalFilters {
  @EnumField(EXPORT_FORMATS, { optional: true, default: 'ndjson', description: 'Of the lines' })
  format!: ExportFormat;
}

export class ExplorerPage extends WindowResponse {
  @ListField(nested(() => EventRecord), { description: 'Events of this page' })
  items!: EventRecord[];

  @IntField({ min: 0, description: 'Exact' })
  total!: number;

  @IntField({ description: 'How many a page has at most' })
  limit!: number;

  @IntField({ description: 'How many came before this page' })
  offset!: number;

  @BooleanField({ description: 'Whether there are events behind these: they begin at offset plus the number of items' })
  has_more!: boolean;
}

export class FacetValueResponse {
  @TextField({ nullable: true, description: 'Null: events that say none' })
  value!: string | null;

  @IntField({ min: 1, description: 'How many events have it' })
  count!: number;
}

export class SourceFacetValue extends FacetValueResponse {
  @TextField({ nullable: true, description: 'Name of the Event Source; null when it is gone or there is none' })
  name!: string | null;
}

export class CountedProperty {
  @GroupField({ description: 'A text, cut to 200 characters, a number or a boolean' })
  value!: ScalarValue;

  @IntField({ min: 1, description: 'How many events have it' })
  count!: number;
}

export class OtherValues {
  @IntField({ min: 0, description: 'How many values these are' })
  values!: number;

  @IntField({ min: 0, description: 'How many events have one of them' })
  events!: number;
}

export class PropertyFacetResponse {
  @TextField({ example: 'properties.plan', description: 'As asked for' })
  field!: string;

  @ListField(nested(() => CountedProperty), { description: 'Up to 20 values, most events first' })
  values!: CountedProperty[];

  @NestedField(() => OtherValues, { description: 'All values beyond these' })
  others!: OtherValues;

  @IntField({ min: 0, description: 'Events without the property, or with a list or an object there' })
  missing!: number;
}

export class FacetsOfEvents {
  @ListField(nested(() => FacetValueResponse), { description: 'Event types, most events first' })
  event!: FacetValueResponse[];

  @ListField(nested(() => SourceFacetValue), { description: 'Event Sources, most events first' })
  source_id!: SourceFacetValue[];

  @ListField(nested(() => FacetValueResponse), { description: 'Values of `severity`, most events first' })
  severity!: FacetValueResponse[];

  @ListField(nested(() => FacetValueResponse), { description: 'Values of `status`, most events first' })
  status!: FacetValueResponse[];

  @ListField(nested(() => FacetValueResponse), { description: 'Values of `environment`, most events first' })
  environment!: FacetValueResponse[];

  @ListField(nested(() => PropertyFacetResponse), {
    optional: true,
    description: 'Present only with `by`: one for each property, in their order',
  })
  by?: PropertyFacetResponse[];
}

export class FacetsResponse extends WindowResponse {
  @NestedField(() => FacetsOfEvents, { description: 'Values and numbers of events, by field' })
  facets!: FacetsOfEvents;
}

export class EventDetail extends EventRecord {
  @NestedField(() => LogRow, { description: 'The event as a log row' })
  log!: LogRow;

  @ListField(object(), {
    document: { items: schemaOf('AlertEventResponse') },
    description: 'Alert events that this event raised or that count it',
  })
  related_alerts!: Record<string, unknown>[];
}
