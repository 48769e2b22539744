import {
  BooleanField,
  EnumField,
  IntField,
  ListField,
  nested,
  NestedField,
  object,
  TextField,
} from '../../../platform/http/fields/index.js';
import { EventRecord } from '../fields/index.js';
import { LogRow } from '../logs/index.js';
import { EventFilters, WindowResponse } from '../totals/index.js';

export class ExplorerQuery extends EventFilters {
  @IntField({ min: 1, max: 500, optional: true, default: 50 })
  limit!: number;

  @IntField({ min: 0, max: 9_007_199_254_740_991, optional: true, default: 0 })
  offset!: number;
}

export class FacetsQuery extends EventFilters {}

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export class ExportRequest extends EventFilters {
  @EnumField(EXPORT_FORMATS, { optional: true, default: 'ndjson' })
  format!: ExportFormat;
}

export class ExplorerPage extends WindowResponse {
  @ListField(nested(() => EventRecord), {})
  items!: EventRecord[];

  @IntField({ min: 0, description: 'Exact' })
  total!: number;

  @IntField({})
  limit!: number;

  @IntField({})
  offset!: number;

  @BooleanField({ description: 'Whether there are events behind these: they begin at offset plus the number of items' })
  has_more!: boolean;
}

export class FacetValueResponse {
  @TextField({ nullable: true, description: 'Null: events that say none' })
  value!: string | null;

  @IntField({ min: 1 })
  count!: number;
}

export class SourceFacetValue extends FacetValueResponse {
  @TextField({ nullable: true, description: 'Name of the Event Source; null when it is gone or there is none' })
  name!: string | null;
}

export class FacetsOfEvents {
  @ListField(nested(() => FacetValueResponse), {})
  event!: FacetValueResponse[];

  @ListField(nested(() => SourceFacetValue), {})
  source_id!: SourceFacetValue[];

  @ListField(nested(() => FacetValueResponse), {})
  severity!: FacetValueResponse[];

  @ListField(nested(() => FacetValueResponse), {})
  status!: FacetValueResponse[];

  @ListField(nested(() => FacetValueResponse), {})
  environment!: FacetValueResponse[];
}

export class FacetsResponse extends WindowResponse {
  @NestedField(() => FacetsOfEvents, {})
  facets!: FacetsOfEvents;
}

export class EventDetail extends EventRecord {
  @NestedField(() => LogRow, { description: 'The event as a log row' })
  log!: LogRow;

  @ListField(object(), { description: 'Alert events that this event raised or that count it' })
  related_alerts!: Record<string, unknown>[];
}
