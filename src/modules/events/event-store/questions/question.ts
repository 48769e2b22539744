import type { ProjectScope } from '../../../access/index.js';
import type { EventCondition } from '../../eql-language/index.js';
import { type Dimension, DIMENSIONS, type EventFilter } from '../totals/event-filter.js';
import type { TimeWindow } from '../totals/coverage.js';

/** Which events are asked about. */
export interface Question {
  readonly scope: Pick<ProjectScope, 'organizationId' | 'projectId'>;
  readonly projectName: string;
  readonly now: Date;
  readonly window: TimeWindow;
  /** All that there are: nothing came before. */
  readonly isAll: boolean;
  /** As long as the window, and ends where it begins; null for all, and where some of its events are not kept. */
  readonly before: TimeWindow | null;
  readonly filter: EventFilter;
  readonly where: EventCondition | null;
}

/** Whether counted hours can tell about these fields: else the events themselves are read. */
export function isCounted({ where }: Question, fields: readonly string[]): fields is readonly Dimension[] {
  return where === null && fields.every((field) => (DIMENSIONS as readonly string[]).includes(field));
}
