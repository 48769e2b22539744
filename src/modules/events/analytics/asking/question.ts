import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { ProjectsReader } from '../../../tenancy/projects/index.js';
import type { EventCondition } from '../../eql-language/index.js';
import { readCondition } from '../../eql/index.js';
import { AskedWindows, filterOf, isAll } from '../../asked-windows/index.js';
import { type Dimension, DIMENSIONS, type EventFilter, type TimeWindow } from '../../event-store/index.js';
import type { AnalyticsQuery } from './analytics.dto.js';

/** Which events are asked about. */
export interface Question {
  readonly scope: Pick<ProjectScope, 'projectId'>;
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

/** Reads what the questions have in common. */
@Injectable()
export class Questions {
  constructor(
    private readonly windows: AskedWindows,
    private readonly projects: ProjectsReader,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationError, ProjectNotFound */
  async of(scope: ProjectScope, query: AnalyticsQuery): Promise<Question> {
    const now = this.clock.now();
    const window = await this.windows.of(query, now, 'query');
    const where = query.where === undefined ? null : readCondition(query.where, ['query', 'where']);
    const name = await this.projects.nameOf(scope);
    return {
      scope,
      projectName: name,
      now,
      window,
      isAll: isAll(query),
      before: isAll(query) ? null : await this.windows.before(window),
      filter: filterOf(query),
      where,
    };
  }
}

/** Whether counted hours can tell about these fields: else the events themselves are read. */
export function isCounted({ where }: Question, fields: readonly string[]): fields is readonly Dimension[] {
  return where === null && fields.every((field) => (DIMENSIONS as readonly string[]).includes(field));
}
