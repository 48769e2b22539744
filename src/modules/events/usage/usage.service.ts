import { Injectable } from '@nestjs/common';
import type { ApiKeyScope, ProjectId, ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { EventTotalsReader } from '../event-store/index.js';
import { OrganizationsReader } from '../../tenancy/organizations/index.js';
import { ProjectsReader, type RemovalStep } from '../../tenancy/projects/index.js';
import { monthOf } from '../../entitlement/quotas/index.js';
import {
  type CurrentUsageResponse,
  type DailyUsageResponse,
  type Period,
  PERIODS,
  type UsageResponse,
} from './usage.dto.js';
import { domainError } from '../../../platform/http/domain-error.js';
import { UsageRepository } from './usage.repository.js';

const DAY_MS = 24 * 3600 * 1000;
/**
 * No event is accepted more than a day ahead. The second day allows for differences between the clocks of two machines.
 */
const LATEST_AHEAD_MS = 2 * DAY_MS;
const ROLLING_DAYS: Readonly<Record<Exclude<Period, 'month'>, number>> = { '24h': 1, '7d': 7, '30d': 30 };

export class UnsupportedPeriod extends domainError(422, 'period must be one of: 24h, 7d, 30d, month') {}

@Injectable()
export class UsageService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly totals: EventTotalsReader,
    private readonly projects: ProjectsReader,
    private readonly organizations: OrganizationsReader,
    private readonly clock: Clock,
  ) {}

  /**
   * Deletes the usage of a project except the current month, because deleting a project does not restore the allowance
   * of its organization.
   */
  async removeOf(projectId: ProjectId): Promise<RemovalStep> {
    const { removed, left } = await this.usage.removeBefore(projectId, monthOf(this.clock.now()).fromDay);
    return { removed, done: left === 0 };
  }

  /** Returns event counts by type. Rolling windows end now; `month` is the whole current UTC month. */
  async byEvent(scope: ProjectScope, text: string): Promise<UsageResponse> {
    const period = PERIODS.find((known) => known === text);
    if (period === undefined) throw new UnsupportedPeriod();
    const now = this.clock.now();
    const { from, to } =
      period === 'month' ? monthOf(now) : { from: new Date(now.getTime() - ROLLING_DAYS[period] * DAY_MS), to: now };
    const [{ name }, totals] = await Promise.all([
      this.projects.get(scope),
      this.totals.eventsBy(scope, 'event', { from, to }),
    ]);
    return {
      project_id: scope.projectId,
      project_name: name,
      period,
      from_ts: from.toISOString(),
      to_ts: to.toISOString(),
      total_events: totals.reduce((sum, { events }) => sum + events, 0),
      by_event: totals.map(({ value, events }) => ({ event: value ?? '', total: events })),
    };
  }

  /**
   * Returns event counts by UTC date. The window is `days` times 24 hours, so the first date is usually not complete.
   * Events with a timestamp after now are counted too.
   */
  async daily(scope: ProjectScope, days: number): Promise<DailyUsageResponse> {
    const now = this.clock.now().getTime();
    const window = { from: new Date(now - days * DAY_MS), to: new Date(now + LATEST_AHEAD_MS) };
    const buckets = await this.totals.eventsOver(scope, 'day', window);
    return {
      project_id: scope.projectId,
      usage: buckets.map(({ at, events }) => ({ date: at.toISOString().slice(0, 10), events })),
    };
  }

  /** Returns the usage of the key's organization in the current UTC month. */
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
