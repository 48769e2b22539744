import { Injectable } from '@nestjs/common';
import type { ApiKeyScope, ProjectScope } from '../../platform/access/index.js';
import { Clock } from '../../platform/clock/index.js';
import { OrganizationsRepository } from '../organizations/index.js';
import { ProjectsRepository } from '../projects/index.js';
import { monthOf } from './month.js';
import {
  type CurrentUsageResponse,
  type DailyUsageResponse,
  type Period,
  PERIODS,
  type UsageResponse,
} from './usage.dto.js';
import { UnsupportedPeriod } from './usage.errors.js';
import { UsageRepository } from './usage.repository.js';

const DAY_MS = 24 * 3600 * 1000;
const ROLLING_DAYS: Readonly<Record<Exclude<Period, 'month'>, number>> = { '24h': 1, '7d': 7, '30d': 30 };

@Injectable()
export class UsageService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly projects: ProjectsRepository,
    private readonly organizations: OrganizationsRepository,
    private readonly clock: Clock,
  ) {}

  /** Rolling windows end now; `month` is the whole current UTC month. */
  async byEvent(scope: ProjectScope, text: string): Promise<UsageResponse> {
    const period = PERIODS.find((known) => known === text);
    if (period === undefined) throw new UnsupportedPeriod();
    const now = this.clock.now();
    const { from, to } =
      period === 'month' ? monthOf(now) : { from: new Date(now.getTime() - ROLLING_DAYS[period] * DAY_MS), to: now };
    const { name } = await this.projects.get(scope);
    const totals = await this.usage.byEvent(scope, from, to);
    return {
      project_id: scope.projectId,
      project_name: name,
      period,
      from_ts: from.toISOString(),
      to_ts: to.toISOString(),
      total_events: totals.reduce((sum, { total }) => sum + total, 0),
      by_event: totals,
    };
  }

  async daily(scope: ProjectScope, days: number): Promise<DailyUsageResponse> {
    const from = new Date(this.clock.now().getTime() - days * DAY_MS);
    return { project_id: scope.projectId, usage: await this.usage.byDay(scope, from) };
  }

  /** Of the key's organization, this UTC month (SERVICE 2.5). */
  async current(scope: ApiKeyScope): Promise<CurrentUsageResponse> {
    const { month, fromDay, toDay } = monthOf(this.clock.now());
    const { eventsPerMonthLimit: limit } = await this.organizations.get(scope);
    const used = await this.usage.eventsOf(scope, fromDay);
    return {
      organization_id: scope.organizationId,
      month,
      from_day: fromDay,
      to_day: toDay,
      reset_day: toDay,
      events_used: used,
      events_limit: limit,
      events_remaining: limit === null ? null : Math.max(0, limit - used),
    };
  }
}
