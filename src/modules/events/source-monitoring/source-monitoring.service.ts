import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { writeList, writeObject, type WrittenJson } from '../../../platform/http/written-json.js';
import { ActiveKeysReader, EventSourceDisabled, EventSourceNotFound } from '../../entitlement/api-keys/index.js';
import { EventRecorder } from '../ingestion/index.js';
import {
  decodeCursor,
  encodeCursor,
  EventRowsReader,
  type Selection,
  SourceEventsReader,
  type SourceVolume,
} from '../event-store/index.js';
import { EventPageReader, eventRecord, ReadBudget, RECORDS } from '../reads/index.js';
import { EventSourcesReader, type SeenEventSource } from '../../entitlement/sources/index.js';
import { IngestionFailuresReader } from '../../entitlement/ingestion-failures/index.js';
import { observeSchema, SAMPLE_BYTES, SAMPLE_EVENTS, type SampledEvent } from './observed-schema.js';
import {
  type SourceEventsQuery,
  type SourceEventsResponse,
  type SourceHealthResponse,
  type SourceSchemaResponse,
  type SourceStatsQuery,
  type SourceStatsResponse,
  type SourceTestResponse,
  TEST_EVENT_TYPE,
} from './source-monitoring.dto.js';
import { failureRate, sourceStatus } from './source-status.js';
import { statsWindow, withZeroes } from './volume.js';

const HOUR_MS = 3_600_000;
const SAMPLED: Selection<SampledEvent> = { columns: 'event, "timestamp", properties::text AS properties' };

/** Reports the events, volumes, health and observed schema of an Event Source. */
@Injectable()
export class SourceMonitoringService {
  constructor(
    private readonly monitoring: SourceEventsReader,
    private readonly rows: EventRowsReader,
    private readonly pages: EventPageReader,
    private readonly budget: ReadBudget,
    private readonly sources: EventSourcesReader,
    private readonly keys: ActiveKeysReader,
    private readonly failures: IngestionFailuresReader,
    private readonly recorder: EventRecorder,
    private readonly clock: Clock,
  ) {}

  async stats(scope: ProjectScope, sourceId: string, query: SourceStatsQuery): Promise<SourceStatsResponse> {
    const { range, interval = range === '24h' ? 'hour' : 'day' } = query;
    const bounds = statsWindow(range, interval, this.clock.now());
    const volumes = await this.monitoring.volumes(scope, sourceId, { ...bounds, interval });
    return {
      source_id: sourceId,
      range,
      interval,
      from_ts: bounds.from.toISOString(),
      to_ts: bounds.to.toISOString(),
      totals: totalsOf(volumes),
      timeseries: withZeroes(volumes, bounds, interval).map(({ ts, events, errors }) => ({
        ts: ts.toISOString(),
        events,
        errors,
      })),
    };
  }

  async health(scope: ProjectScope, sourceId: string): Promise<SourceHealthResponse> {
    const now = this.clock.now();
    const bounds = statsWindow('24h', 'hour', now);
    const [source, volumes, failures, activeKeys] = await Promise.all([
      this.source(scope, sourceId),
      this.monitoring.volumes(scope, sourceId, { ...bounds, interval: 'hour' }),
      this.failures.countOfSource(scope, sourceId, bounds.from),
      this.keys.countOf(scope, now, sourceId),
    ]);
    const { isEnabled, lastEventAt, hook } = source;
    const hasHook = hook !== null;
    const { events } = totalsOf(volumes);
    const hoursSinceLastEvent = lastEventAt === null ? null : (now.getTime() - lastEventAt.getTime()) / HOUR_MS;
    return {
      source_id: sourceId,
      status: sourceStatus({ isEnabled, activeKeys, hasHook, hoursSinceLastEvent, events, failures }),
      is_enabled: isEnabled,
      last_event_at: lastEventAt?.toISOString() ?? null,
      events_last_24h: events,
      failures_last_24h: failures,
      failure_rate: failureRate({ events, failures }),
      active_keys: activeKeys,
    };
  }

  async events(
    scope: ProjectScope,
    sourceId: string,
    { limit, before }: SourceEventsQuery,
  ): Promise<WrittenJson<SourceEventsResponse>> {
    const locator = before === undefined ? null : decodeCursor(before);
    // One event more than `limit` is read to find out whether there is a next page.
    const found = await this.monitoring.newest(scope, sourceId, locator, limit + 1);
    return this.pages.answer(scope, found.slice(0, limit), RECORDS, (rows, shown) => {
      const last = shown.length < found.length ? shown.at(-1) : undefined;
      return writeObject<SourceEventsResponse>({
        items: writeList(rows.map(eventRecord)),
        next_before: last === undefined ? null : encodeCursor(last),
      });
    });
  }

  async schema(scope: ProjectScope, sourceId: string): Promise<SourceSchemaResponse> {
    const newest = await this.monitoring.newest(scope, sourceId, null, SAMPLE_EVENTS);
    const { locators: sample, bytes } = await this.rows.fit(scope, newest, SAMPLE_BYTES);
    const eventTypes = await this.budget.during(scope.projectId, bytes, async () =>
      observeSchema(await this.rows.read(scope, sample, SAMPLED)),
    );
    return {
      source_id: sourceId,
      sampled_events: sample.length,
      from_ts: sample.at(-1)?.timestamp.toISOString() ?? null,
      to_ts: sample[0]?.timestamp.toISOString() ?? null,
      event_types: eventTypes.map(({ lastSeenAt, ...type }) => ({
        ...type,
        last_seen_at: lastSeenAt.toISOString(),
        properties: type.properties.map((property) => ({ ...property, types: [...property.types] })),
      })),
    };
  }

  /** Sends a test event. It is stored, counted and shown like any other event, and uses the allowance. */
  async test(scope: ProjectMemberScope, sourceId: string): Promise<SourceTestResponse> {
    const source = await this.source(scope, sourceId);
    if (!source.isEnabled) throw new EventSourceDisabled();
    const sent = await this.recorder.record(
      { projectId: scope.projectId, organizationId: scope.organizationId, sourceId },
      {
        event_type: TEST_EVENT_TYPE,
        source: source.name,
        severity: 'info',
        status: 'ok',
        message: 'Test event of the Event Source',
        properties: { test: true },
      },
    );
    return {
      accepted: true,
      project_id: scope.projectId,
      source_id: sourceId,
      ingested_event_id: sent.id,
      event_type: TEST_EVENT_TYPE,
      timestamp: sent.timestamp.toISOString(),
    };
  }

  private async source(scope: ProjectScope, sourceId: string): Promise<SeenEventSource> {
    const source = await this.sources.find(scope, sourceId);
    if (source === null) throw new EventSourceNotFound();
    return source;
  }
}

function totalsOf(volumes: readonly SourceVolume[]): Omit<SourceVolume, 'ts'> {
  return {
    events: volumes.reduce((sum, { events }) => sum + events, 0),
    errors: volumes.reduce((sum, { errors }) => sum + errors, 0),
  };
}
