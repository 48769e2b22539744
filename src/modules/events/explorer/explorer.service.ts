import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SourceNamesReader } from '../../entitlement/sources/index.js';
import type { ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { providerOf } from '../../../platform/discovery/provider-of.js';
import { writeList, writeObject, type WrittenJson } from '../../../platform/http/written-json.js';
import { READ_COLUMNS, type StoredEvent } from '../fields/index.js';
import { TimeRangeResolver, conditionOf, filterOf, windowHead } from '../time-ranges/index.js';
import {
  EventListReader,
  EventTotalsReader,
  ExploredListReader,
  FacetsReader,
  type FacetValue,
  MatchesReader,
  type PropertyFacet,
  type Selection,
} from '../event-store/index.js';
import { eventMembers, EventPageReader, eventRecord, RECORDS } from '../reads/index.js';
import { LOG_COLUMNS, LOG_JOIN, type LoggedEvent, logRow } from '../logs/index.js';
import { ProjectsReader } from '../../tenancy/projects/index.js';
import type {
  EventDetail,
  ExplorerPage,
  ExplorerQuery,
  FacetsQuery,
  FacetsResponse,
  PropertyFacetResponse,
} from './explorer.dto.js';
import { domainError } from '../../../platform/http/domain-error.js';
import { RelatedAlerts, type WrittenAlerts } from './related-alerts.js';

const MOST_FACET_VALUES = 100;
const MOST_PROPERTY_VALUES = 20;
type DetailRow = StoredEvent & LoggedEvent;
const DETAILS: Selection<DetailRow> = { columns: `${READ_COLUMNS}, ${LOG_COLUMNS}`, join: LOG_JOIN };
const NO_ALERTS: WrittenAlerts = { list: writeList([]), bytes: 0 };

export class EventNotFound extends domainError(404, 'Event not found') {}

/** Lists and counts the events of a project, and shows single ones. */
@Injectable()
export class ExplorerService {
  constructor(
    private readonly explorer: ExploredListReader,
    private readonly timeRanges: TimeRangeResolver,
    private readonly matches: MatchesReader,
    private readonly totals: EventTotalsReader,
    private readonly facetsOfEvents: FacetsReader,
    private readonly events: EventListReader,
    private readonly pages: EventPageReader,
    private readonly projects: ProjectsReader,
    private readonly sources: SourceNamesReader,
    private readonly discovery: DiscoveryService,
    private readonly clock: Clock,
  ) {}

  async page(scope: ProjectScope, query: ExplorerQuery, signal: AbortSignal): Promise<WrittenJson<ExplorerPage>> {
    const now = this.clock.now();
    const window = await this.timeRanges.of(query, now, 'query');
    const where = conditionOf(query.where, 'query');
    const { limit, offset } = query;
    const filter = filterOf(query);
    const [{ name }, { total, locators }] = await Promise.all([
      this.projects.get(scope),
      where === null
        ? this.explorer.page(scope, window, filter, { limit, offset })
        : this.matches.page({ scope, now, window, filter, where }, { limit, offset }, signal),
    ]);
    return this.pages.answer(scope, locators, RECORDS, (rows) =>
      writeObject<ExplorerPage>({
        ...windowHead(scope.projectId, name, window),
        items: writeList(rows.map(eventRecord)),
        total,
        limit,
        offset,
        has_more: offset + rows.length < total,
      }),
    );
  }

  async facets(scope: ProjectScope, query: FacetsQuery, signal: AbortSignal): Promise<FacetsResponse> {
    const now = this.clock.now();
    const window = await this.timeRanges.of(query, now, 'query');
    const where = conditionOf(query.where, 'query');
    const filter = filterOf(query);
    const by = query.by ?? [];
    const limit = MOST_FACET_VALUES;
    const [{ name }, { values: facets, by: properties }, names] = await Promise.all([
      this.projects.get(scope),
      where === null && by.length === 0
        ? this.totals.facets(scope, window, filter, limit).then((values) => ({ values, by: [] }))
        : this.facetsOfEvents.read(
            { query: { scope, now, window, filter, where }, limit, by, limitBy: MOST_PROPERTY_VALUES },
            signal,
          ),
      this.sources.of(scope),
    ]);
    const counted = ({ value, events }: FacetValue): { value: string | null; count: number } => ({
      value,
      count: events,
    });
    return {
      ...windowHead(scope.projectId, name, window),
      facets: {
        event: facets.event.map(counted),
        source_id: facets.source_id.map((one) => ({ ...counted(one), name: names.get(one.value ?? '') ?? null })),
        severity: facets.severity.map(counted),
        status: facets.status.map(counted),
        environment: facets.environment.map(counted),
        ...(by.length > 0 && { by: properties.map(propertyFacet) }),
      },
    };
  }

  async detail(scope: ProjectScope, eventId: string): Promise<WrittenJson<EventDetail>> {
    const [{ name }, found, alerts] = await Promise.all([
      this.projects.get(scope),
      this.events.find(scope, eventId),
      providerOf(this.discovery, RelatedAlerts)?.ofEvent(scope, eventId) ?? NO_ALERTS,
    ]);
    if (found === null) throw new EventNotFound();
    const write = ([stored]: readonly DetailRow[]): WrittenJson<EventDetail> => {
      if (stored === undefined) throw new EventNotFound();
      return writeObject<EventDetail>({
        ...eventMembers(stored),
        log: logRow(stored, name),
        related_alerts: alerts.list,
      });
    };
    return this.pages.answer(scope, [found], DETAILS, write, alerts.bytes);
  }
}

function propertyFacet({ values, ...facet }: PropertyFacet): PropertyFacetResponse {
  return { ...facet, values: values.map(({ value, events }) => ({ value, count: events })) };
}
