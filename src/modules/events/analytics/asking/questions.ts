import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { ProjectsReader } from '../../../tenancy/projects/index.js';
import { AskedWindows, filterOf, isAll } from '../../asked-windows/index.js';
import { readCondition } from '../../eql/index.js';
import type { AnalyticsQuery } from './analytics.dto.js';
import type { Question } from '../../event-store/index.js';

/** Resolves the parameters that all analytics queries share: windows, filters, condition and project name. */
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
