import { Injectable } from '@nestjs/common';
import { wholeWindows } from '../questions/division.js';
import { GatheredEventsReader } from '../questions/gathered-events.reader.js';
import { isCounted, type Question } from '../questions/question.js';
import { type Snapshot, Snapshots } from '../questions/snapshots.js';
import type { TimeWindow } from '../totals/coverage.js';
import { isEmptyFilter } from '../totals/event-filter.js';
import { LatenciesReader } from '../totals/latencies.reader.js';
import { ClickHouseOverviewRepository } from './clickhouse-overview.repository.js';
import { OVERVIEW_DIMENSIONS, OverviewRepository, type OverviewRow } from './overview.repository.js';

/** The totals of a window. */
export type OverviewStats = Pick<OverviewRow, 'events' | 'errors' | 'types' | 'sources' | 'p50' | 'p95' | 'last_at'>;
const NOTHING: OverviewStats = { events: 0, errors: 0, types: 0, sources: 0, p50: null, p95: null, last_at: null };
const QUANTILES = [0.5, 0.95];

export interface CountedOverview {
  readonly rows: readonly OverviewRow[];
  readonly now: OverviewStats;
  /** The previous window. Null when there is none. */
  readonly previous: OverviewStats | null;
}

/** Counts the events of a window and of the previous window. Uses counted hours where they can answer. */
@Injectable()
export class OverviewsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly gathered: GatheredEventsReader,
    private readonly overview: OverviewRepository,
    private readonly clickHouse: ClickHouseOverviewRepository,
    private readonly latencies: LatenciesReader,
  ) {}

  /** Reads everything in one snapshot. @throws QueryTooLong, TooManyQueries */
  count(question: Question, signal: AbortSignal): Promise<CountedOverview> {
    const division = wholeWindows(question);
    // Latencies of counted hours are not divided by field, so they cannot answer with a filter.
    const isOfHours = isCounted(question, []) && isEmptyFilter(question.filter);
    return this.snapshots.run(question, signal, async (snapshot) => {
      const replicated = isOfHours ? null : await this.clickHouse.source(question, division, snapshot, signal);
      const source =
        replicated ??
        (await this.gathered.source(question, division, isOfHours ? OVERVIEW_DIMENSIONS : null, snapshot));
      const rows = await this.overview.rows(question, source, division, snapshot);
      const totals = rows.filter(({ part }) => part === 'totals');
      const of = async (bucket: number, window: TimeWindow): Promise<OverviewStats> => {
        const found = totals.find((row) => row.bucket === bucket);
        if (found === undefined) return NOTHING;
        return isOfHours ? this.withRest(question, window, found, snapshot) : found;
      };
      const now = await of(division.first, question.window);
      const previous = question.before === null ? null : await of(division.first - 1, question.before);
      return { rows, now, previous };
    });
  }

  /** Adds the percentiles and the newest timestamp, which counted hours do not have. */
  private async withRest(
    question: Question,
    window: TimeWindow,
    found: OverviewStats,
    snapshot: Snapshot,
  ): Promise<OverviewStats> {
    const { scope } = question;
    await snapshot.limit();
    const percentiles = await this.latencies.percentiles(scope, window, QUANTILES, found.events, snapshot.tx);
    const [p50 = null, p95 = null] = percentiles;
    return { ...found, p50, p95, last_at: await this.gathered.endOf(question, window, 'last', snapshot) };
  }
}
