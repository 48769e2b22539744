import { Injectable } from '@nestjs/common';
import { wholeWindows } from '../questions/division.js';
import { GatheredEventsReader } from '../questions/gathered-events.reader.js';
import { isCounted, type Question } from '../questions/question.js';
import { Snapshots } from '../questions/snapshots.js';
import type { Dimension } from '../totals/event-filter.js';
import type { BreakdownRow } from './breakdown-row.js';
import { BreakdownRepository } from './breakdown.repository.js';
import { CopiedBreakdownRepository } from './copied-breakdown.repository.js';

/** Counts events by the values of a field or property. Counted hours are used where they can answer. */
@Injectable()
export class BreakdownsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly gathered: GatheredEventsReader,
    private readonly breakdown: BreakdownRepository,
    private readonly copied: CopiedBreakdownRepository,
  ) {}

  /**
   * Returns the total, the events without a value, and the `limit` values with the most events. All rows come from one
   * snapshot.
   * @throws QueryTooLong, TooManyQueries
   */
  rows(
    question: Question,
    asked: { readonly by: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<BreakdownRow[]> {
    const division = wholeWindows(question);
    const isOfHours = isCounted(question, [asked.by]);
    return this.snapshots.run(question, signal, async (snapshot) => {
      const copied = isOfHours ? null : await this.copied.rows(question, division, asked, snapshot, signal);
      if (copied !== null) return copied;
      const source = await this.gathered.source(
        question,
        division,
        isOfHours ? [asked.by as Dimension] : null,
        snapshot,
      );
      return this.breakdown.rows(question, source, division, asked, snapshot);
    });
  }
}
