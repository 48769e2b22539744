import { Injectable } from '@nestjs/common';
import { wholeWindows } from '../questions/division.js';
import { GatheredEventsReader } from '../questions/gathered-events.reader.js';
import { isCounted, type Question } from '../questions/question.js';
import { type Snapshot, Snapshots } from '../questions/snapshots.js';
import type { TimeWindow } from '../totals/coverage.js';
import { isEmptyFilter } from '../totals/event-filter.js';
import { LatenciesReader } from '../totals/latencies.reader.js';
import { CopiedOverviewRepository } from './copied-overview.repository.js';
import { OVERVIEW_DIMENSIONS, OverviewRepository, type OverviewRow } from './overview.repository.js';

/** What the events of a window come to. */
export type OverviewFigures = Pick<OverviewRow, 'events' | 'errors' | 'types' | 'sources' | 'p50' | 'p95' | 'last_at'>;
const NOTHING: OverviewFigures = { events: 0, errors: 0, types: 0, sources: 0, p50: null, p95: null, last_at: null };
const QUANTILES = [0.5, 0.95];

export interface CountedOverview {
  readonly rows: readonly OverviewRow[];
  readonly now: OverviewFigures;
  /** Of the window before; null where there is none. */
  readonly previous: OverviewFigures | null;
}

/** Adds up what happened in a window and the one before it, from counted hours where those can tell. */
@Injectable()
export class OverviewsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly gathered: GatheredEventsReader,
    private readonly overview: OverviewRepository,
    private readonly copied: CopiedOverviewRepository,
    private readonly latencies: LatenciesReader,
  ) {}

  /** All of one moment. @throws QueryTooLong, TooManyQueries */
  count(question: Question, signal: AbortSignal): Promise<CountedOverview> {
    const division = wholeWindows(question);
    // Latencies are counted for all events of an hour together.
    const isOfHours = isCounted(question, []) && isEmptyFilter(question.filter);
    return this.snapshots.run(question, signal, async (snapshot) => {
      const copied = isOfHours ? null : await this.copied.source(question, division, snapshot, signal);
      const source =
        copied ?? (await this.gathered.source(question, division, isOfHours ? OVERVIEW_DIMENSIONS : null, snapshot));
      const rows = await this.overview.rows(question, source, division, snapshot);
      const totals = rows.filter(({ part }) => part === 'totals');
      const of = async (bucket: number, window: TimeWindow): Promise<OverviewFigures> => {
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
  private async withRest(
    question: Question,
    window: TimeWindow,
    found: OverviewFigures,
    snapshot: Snapshot,
  ): Promise<OverviewFigures> {
    const { scope } = question;
    await snapshot.limit();
    const percentiles = await this.latencies.percentiles(scope, window, QUANTILES, found.events, snapshot.tx);
    const [p50 = null, p95 = null] = percentiles;
    return { ...found, p50, p95, last_at: await this.gathered.endOf(question, window, 'last', snapshot) };
  }
}
