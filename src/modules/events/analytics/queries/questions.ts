import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { ProjectsReader } from '../../../tenancy/projects/index.js';
import { TimeRangeResolver, conditionOf, filterOf, isAll } from '../../time-ranges/index.js';
import type { AnalyticsQuery } from './analytics.dto.js';
import type { AggregationQuery } from '../../event-store/index.js';

/** A query and the name of its project. Every analytics response begins with that name. */
export interface ResolvedQuery extends AggregationQuery {
  readonly projectName: string;
}

/** Resolves the parameters that all analytics queries share: windows, filters, condition and project name. */
@Injectable()
export class Questions {
  constructor(
    private readonly timeRanges: TimeRangeResolver,
    private readonly projects: ProjectsReader,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationError, ProjectNotFound */
  async of(scope: ProjectScope, query: AnalyticsQuery): Promise<ResolvedQuery> {
    const now = this.clock.now();
    const window = await this.timeRanges.of(query, now, 'query');
    const where = conditionOf(query.where, 'query');
    const name = await this.projects.nameOf(scope);
    return {
      scope,
      projectName: name,
      now,
      window,
      isAll: isAll(query),
      before: isAll(query) ? null : await this.timeRanges.before(window),
      filter: filterOf(query),
      where,
    };
  }
}
