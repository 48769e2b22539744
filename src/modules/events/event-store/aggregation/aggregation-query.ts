import type { ProjectScope } from '../../../access/index.js';
import type { EventCondition } from '../../eql-language/index.js';
import { type Dimension, DIMENSIONS, type EventFilter } from '../totals/event-filter.js';
import type { TimeWindow } from '../totals/coverage.js';

/** The parameters of a query about events. */
export interface AggregationQuery {
  readonly scope: Pick<ProjectScope, 'organizationId' | 'projectId'>;
  readonly now: Date;
  readonly window: TimeWindow;
  /** True when the window covers all events, so that there is no previous window. */
  readonly isAll: boolean;
  /**
   * The previous window. It is as long as the window and ends where the window begins. Null when `isAll`, or when some
   * of its events are past retention.
   */
  readonly before: TimeWindow | null;
  readonly filter: EventFilter;
  readonly where: EventCondition | null;
}

/** The events of a query: those of a project that match the filter and the condition. */
export interface FilteredEvents extends Pick<AggregationQuery, 'filter' | 'where'> {
  readonly scope: Pick<ProjectScope, 'projectId'>;
}

/** True when counted hours can answer for these fields. Otherwise the events themselves are read. */
export function isCounted({ where }: AggregationQuery, fields: readonly string[]): fields is readonly Dimension[] {
  return where === null && fields.every((field) => (DIMENSIONS as readonly string[]).includes(field));
}
