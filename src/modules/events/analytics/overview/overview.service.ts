import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { changeOf, ratioOf, windowHead } from '../../asked-windows/index.js';
import { isEmptyFilter, LatenciesReader, type TimeWindow } from '../../event-store/index.js';
import { wholeWindows } from '../asking/division.js';
import { GatheredEventsReader } from '../asking/gathered-events.reader.js';
import { CopiedOverviewRepository } from './copied-overview.repository.js';
import type { OverviewChange, OverviewQuery, OverviewResponse, OverviewTotals } from './overview.dto.js';
import { OVERVIEW_DIMENSIONS, OverviewRepository, type OverviewRow } from './overview.repository.js';
import { isCounted, type Question, Questions } from '../asking/question.js';
import { type Snapshot, Snapshots } from '../asking/snapshots.js';

type Totals = Pick<OverviewRow, 'events' | 'errors' | 'types' | 'sources' | 'p50' | 'p95' | 'last_at'>;
const NOTHING: Totals = { events: 0, errors: 0, types: 0, sources: 0, p50: null, p95: null, last_at: null };
const QUANTILES = [0.5, 0.95];

interface Counted {
  readonly rows: readonly OverviewRow[];
  readonly now: Totals;
  readonly previous: Totals | null;
}

/** What happened in a window, against the one before it (DECISIONS 14). */
@Injectable()
export class OverviewService {
  constructor(
    private readonly questions: Questions,
    private readonly snapshots: Snapshots,
    private readonly gathered: GatheredEventsReader,
    private readonly overview: OverviewRepository,
    private readonly copied: CopiedOverviewRepository,
    private readonly latencies: LatenciesReader,
  ) {}

  /** @throws ValidationError, QueryTooLong, TooManyQueries */
  async of(scope: ProjectScope, query: OverviewQuery, signal: AbortSignal): Promise<OverviewResponse> {
    const question = await this.questions.of(scope, query);
    const { rows, now, previous } = await this.count(question, signal);
    const totals = totalsOf(now);
    const before = previous === null ? null : totalsOf(previous);
    return {
      ...windowHead(scope.projectId, question.projectName, question.window),
      totals,
      previous: before,
      change: before === null ? null : changesOf(totals, before),
      by_severity: rows.filter(({ part }) => part === 'severity').map(({ value, events }) => ({ value, events })),
      top_events: rows
        .filter(({ part }) => part === 'event')
        .map(({ value, events, previous: earlier }) => {
          const previousEvents = before === null ? null : earlier;
          return {
            value: value ?? '',
            events,
            previous_events: previousEvents,
            change: changeOf(events, previousEvents),
          };
        }),
      last_event_at: now.last_at?.toISOString() ?? null,
    };
  }

  private count(question: Question, signal: AbortSignal): Promise<Counted> {
    const division = wholeWindows(question);
    // Latencies are counted for all events of an hour together.
    const isOfHours = isCounted(question, []) && isEmptyFilter(question.filter);
    return this.snapshots.run(question, { isLong: !isOfHours, signal }, async (snapshot) => {
      const copied = isOfHours ? null : await this.copied.source(question, division, snapshot, signal);
      const source =
        copied ?? (await this.gathered.source(question, division, isOfHours ? OVERVIEW_DIMENSIONS : null, snapshot));
      const rows = await this.overview.rows(question, source, division, snapshot);
      const totals = rows.filter(({ part }) => part === 'totals');
      const of = async (bucket: number, window: TimeWindow): Promise<Totals> => {
        const found = totals.find((row) => row.bucket === bucket);
        if (found === undefined) return NOTHING;
        return isOfHours ? this.withRest(question, window, found, snapshot) : found;
      };
      const now = await of(division.first, question.window);
      const previous = question.before === null ? null : await of(division.first - 1, question.before);
      return { rows, now, previous };
    });
  }

  /** What is counted elsewhere, or can be looked up. */
  private async withRest(question: Question, window: TimeWindow, found: Totals, snapshot: Snapshot): Promise<Totals> {
    const { scope } = question;
    await snapshot.limit();
    const percentiles = await this.latencies.percentiles(scope, window, QUANTILES, found.events, snapshot.tx);
    const [p50 = null, p95 = null] = percentiles;
    return { ...found, p50, p95, last_at: await this.gathered.endOf(question, window, 'last', snapshot) };
  }
}

function totalsOf({ events, errors, types, sources, p50, p95 }: Totals): OverviewTotals {
  return {
    events,
    errors,
    error_rate: ratioOf(errors, events),
    event_types: types,
    sources,
    p50_latency_ms: p50,
    p95_latency_ms: p95,
  };
}

function changesOf(now: OverviewTotals, before: OverviewTotals): OverviewChange {
  return {
    events: changeOf(now.events, before.events),
    errors: changeOf(now.errors, before.errors),
    error_rate: now.error_rate - before.error_rate,
    event_types: changeOf(now.event_types, before.event_types),
    sources: changeOf(now.sources, before.sources),
    p50_latency_ms: changeOf(now.p50_latency_ms, before.p50_latency_ms),
    p95_latency_ms: changeOf(now.p95_latency_ms, before.p95_latency_ms),
  };
}
