import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { Database } from '../../../platform/database/database.js';
import { providerOf } from '../../../platform/discovery/provider-of.js';
import { EventTotalsReader, LatenciesReader, type TimeWindow, withoutGaps } from '../event-store/index.js';
import { ProjectsReader, rangeWindow } from '../../tenancy/projects/index.js';
import { OrganizationAllowancesReader } from '../../entitlement/quotas/index.js';
import type { DashboardResponse, DashboardSource } from './dashboard.dto.js';
import { DashboardRepository } from './dashboard.repository.js';
import { DeliveryCounts, OpenAlerts } from './reactions.js';

const TOP_EVENTS = 10;

type Counted = Pick<DashboardResponse, 'totals' | 'timeseries' | 'top_events' | 'sources'>;

/** Reports the last 24 hours of a project. */
@Injectable()
export class DashboardService {
  constructor(
    private readonly database: Database,
    private readonly totals: EventTotalsReader,
    private readonly latencies: LatenciesReader,
    private readonly dashboard: DashboardRepository,
    private readonly projects: ProjectsReader,
    private readonly allowances: OrganizationAllowancesReader,
    private readonly discovery: DiscoveryService,
    private readonly clock: Clock,
  ) {}

  async get(scope: ProjectScope): Promise<DashboardResponse> {
    // The window ends now, with the current millisecond included.
    const window = rangeWindow('24h', new Date(this.clock.now().getTime() + 1));
    const [{ name }, counted, { events }, openAlerts, deliveries] = await Promise.all([
      this.projects.get(scope),
      this.count(scope, window),
      this.allowances.of(scope),
      providerOf(this.discovery, OpenAlerts)?.countOpen(scope) ?? 0,
      providerOf(this.discovery, DeliveryCounts)?.count(scope, window) ?? { sent: 0, failed: 0, dlq: 0 },
    ]);
    return {
      project_id: scope.projectId,
      project_name: name,
      from_ts: window.from.toISOString(),
      to_ts: window.to.toISOString(),
      ...counted,
      open_alerts: openAlerts,
      deliveries: { sent: deliveries.sent, failed: deliveries.failed, dlq: deliveries.dlq },
      usage: { events_used: events.used, events_limit: events.limit },
    };
  }

  /** Reads all counts in one snapshot, so that the parts add up. */
  private count(scope: ProjectScope, window: TimeWindow): Promise<Counted> {
    return this.database.snapshot(async (tx): Promise<Counted> => {
      const hours = await this.totals.over(scope, 'hour', window, tx);
      const events = hours.reduce((sum, hour) => sum + hour.events, 0);
      const errors = hours.reduce((sum, hour) => sum + hour.errors, 0);
      const top = await this.totals.eventsBy(scope, 'event', window, { limit: TOP_EVENTS }, tx);
      const bySource = await this.totals.eventsBy(scope, 'source_id', window, { named: true }, tx);
      const [p50, p95] = await this.latencies.percentiles(scope, window, [0.5, 0.95], events, tx);
      const eventsOf = new Map(bySource.map(({ value, events }) => [value, events]));
      const sources = (await this.dashboard.sources(scope, tx)).map(({ id, name, last_event_at }): DashboardSource => ({
        id,
        name,
        events: eventsOf.get(id) ?? 0,
        last_event_at: last_event_at?.toISOString() ?? null,
      }));
      return {
        totals: {
          events,
          errors,
          error_rate: events === 0 ? 0 : errors / events,
          p50_latency_ms: p50 ?? null,
          p95_latency_ms: p95 ?? null,
        },
        timeseries: withoutGaps(hours, 'hour', window).map((hour) => ({
          ts: hour.at.toISOString(),
          events: hour.events,
          errors: hour.errors,
        })),
        top_events: top.map((one) => ({ event: one.value ?? '', total: one.events })),
        sources: sources.sort((a, b) => b.events - a.events),
      };
    });
  }
}
