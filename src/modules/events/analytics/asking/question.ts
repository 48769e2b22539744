import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { ProjectsReader } from '../../../tenancy/projects/index.js';
import { type EventCondition, readCondition } from '../../eql/index.js';
import {
  type Dimension,
  DIMENSIONS,
  type EventFilter,
  filterOf,
  type TimeWindow,
  windowOf,
} from '../../totals/index.js';
import type { AnalyticsQuery } from './analytics.dto.js';

/** The earliest instant that the database can tell; no event is so old. */
const EARLIEST_MS = -200_000_000_000_000;

/** Which events are asked about. */
export interface Question {
  readonly scope: Pick<ProjectScope, 'projectId'>;
  readonly projectName: string;
  readonly now: Date;
  readonly window: TimeWindow;
  /** All that there are: nothing came before. */
  readonly isAll: boolean;
  /** As long as the window, and ends where it begins; null for all. */
  readonly before: TimeWindow | null;
  readonly filter: EventFilter;
  readonly where: EventCondition | null;
}

/** Reads what the questions have in common. */
@Injectable()
export class Questions {
  constructor(
    private readonly projects: ProjectsReader,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationError, ProjectNotFound */
  async of(scope: ProjectScope, query: AnalyticsQuery): Promise<Question> {
    const now = this.clock.now();
    const window = windowOf(query, now, 'query');
    const where = query.where === undefined ? null : readCondition(query.where, ['query', 'where']);
    const isAll = query.range === 'all' && query.from_ts === undefined && query.to_ts === undefined;
    const { name } = await this.projects.get(scope);
    return {
      scope,
      projectName: name,
      now,
      window,
      isAll,
      before: isAll ? null : windowBefore(window),
      filter: filterOf(query),
      where,
    };
  }
}

/** Whether counted hours can tell about these fields: else the events themselves are read. */
export function isCounted({ where }: Question, fields: readonly string[]): fields is readonly Dimension[] {
  return where === null && fields.every((field) => (DIMENSIONS as readonly string[]).includes(field));
}

function windowBefore({ from, to }: TimeWindow): TimeWindow {
  return { from: new Date(Math.max(EARLIEST_MS, 2 * from.getTime() - to.getTime())), to: from };
}
