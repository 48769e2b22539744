import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ProjectScope } from '../../platform/access/index.js';
import { Clock } from '../../platform/clock/index.js';
import { providerOf } from '../../platform/discovery/provider-of.js';
import { EventTotals, type FacetValue } from '../event-totals/index.js';
import { EVENT_COLUMNS, eventRecord, EventReads, type StoredEvent } from '../events/index.js';
import { LOG_COLUMNS, type LoggedEvent, logRow } from '../logs/index.js';
import { ProjectsRepository } from '../projects/index.js';
import { filterOf, windowOf } from './asked-window.js';
import type { EventDetail, EventFilters, ExplorerPage, ExplorerQuery, FacetsResponse } from './explorer.dto.js';
import { EventNotFound } from './explorer.errors.js';
import { ExplorerRepository } from './explorer.repository.js';
import { RelatedAlerts } from './related-alerts.js';

const MOST_FACET_VALUES = 100;

/** Looks into the events of a project. */
@Injectable()
export class ExplorerService {
  constructor(
    private readonly explorer: ExplorerRepository,
    private readonly totals: EventTotals,
    private readonly events: EventReads,
    private readonly projects: ProjectsRepository,
    private readonly discovery: DiscoveryService,
    private readonly clock: Clock,
  ) {}

  async page(scope: ProjectScope, query: ExplorerQuery): Promise<ExplorerPage> {
    const window = windowOf(query, this.clock.now(), 'query');
    const { limit, offset } = query;
    const [{ name }, { total, items }] = await Promise.all([
      this.projects.get(scope),
      this.explorer.page(scope, window, filterOf(query), { limit, offset }),
    ]);
    return {
      project_id: scope.projectId,
      project_name: name,
      from_ts: window.from.toISOString(),
      to_ts: window.to.toISOString(),
      items: items.map(eventRecord),
      total,
      limit,
      offset,
    };
  }

  async facets(scope: ProjectScope, query: EventFilters): Promise<FacetsResponse> {
    const window = windowOf(query, this.clock.now(), 'query');
    const [{ name }, facets, names] = await Promise.all([
      this.projects.get(scope),
      this.totals.facets(scope, window, filterOf(query), MOST_FACET_VALUES),
      this.explorer.sourceNames(scope),
    ]);
    const counted = ({ value, events }: FacetValue): { value: string | null; count: number } => ({
      value,
      count: events,
    });
    return {
      project_id: scope.projectId,
      project_name: name,
      from_ts: window.from.toISOString(),
      to_ts: window.to.toISOString(),
      facets: {
        event: facets.event.map(counted),
        source_id: facets.source_id.map((one) => ({ ...counted(one), name: names.get(one.value ?? '') ?? null })),
        severity: facets.severity.map(counted),
        status: facets.status.map(counted),
        environment: facets.environment.map(counted),
      },
    };
  }

  async detail(scope: ProjectScope, eventId: string): Promise<EventDetail> {
    const [{ name }, stored, alerts] = await Promise.all([
      this.projects.get(scope),
      this.events.find<StoredEvent & LoggedEvent>(scope, eventId, `${EVENT_COLUMNS}, ${LOG_COLUMNS}`),
      providerOf(this.discovery, RelatedAlerts)?.ofEvent(scope, eventId) ?? [],
    ]);
    if (stored === null) throw new EventNotFound();
    return { ...eventRecord(stored), log: logRow(stored, name), related_alerts: alerts };
  }
}
