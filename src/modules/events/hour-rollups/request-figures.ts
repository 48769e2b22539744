import { bucketOf, middleOf, nearestRanks } from '../totals/index.js';
import { EXACT_UP_TO } from './figures.repository.js';
import { integerList } from './integer-list.js';

/** Figures of some requests as statements give them; lists are PostgreSQL's arrays as text. */
export interface FigureRow {
  readonly requests: number;
  readonly clientErrors: number;
  readonly errors: number;
  readonly measured: number;
  readonly fast: number;
  readonly slow: number;
  readonly latencySum: number;
  readonly latencyMin: number | null;
  readonly latencyMax: number | null;
  readonly latencies: string;
  readonly counts: string;
  readonly failedCounts: string | null;
}

export interface Apdex {
  readonly satisfied: number;
  readonly tolerating: number;
  readonly frustrated: number;
}

interface Weighed {
  readonly value: number;
  readonly events: number;
  readonly failed: number;
}

/** Adds figures up. Latencies keep their numbers, so that percentiles of the whole can be told. */
export class RequestFigures {
  requests = 0;
  clientErrors = 0;
  errors = 0;
  measured = 0;
  fast = 0;
  slow = 0;
  latencySum = 0;
  latencyMin: number | null = null;
  latencyMax: number | null = null;
  private readonly counts = new Map<number, number>();
  private readonly failed = new Map<number, number>();

  add(row: FigureRow): void {
    for (const name of ['requests', 'clientErrors', 'errors', 'measured', 'fast', 'slow', 'latencySum'] as const) {
      this[name] += row[name];
    }
    if (row.latencyMin !== null) this.latencyMin = Math.min(this.latencyMin ?? row.latencyMin, row.latencyMin);
    if (row.latencyMax !== null) this.latencyMax = Math.max(this.latencyMax ?? row.latencyMax, row.latencyMax);
    this.addLatencies(row);
  }

  addLatencies({ latencies, counts, failedCounts }: Pick<FigureRow, 'latencies' | 'counts' | 'failedCounts'>): void {
    const values = integerList(latencies);
    addTo(this.counts, values, integerList(counts));
    if (failedCounts !== null) addTo(this.failed, values, integerList(failedCounts));
  }

  /** Nearest-rank percentiles in whole milliseconds; null when nothing was measured. */
  percentiles(quantiles: readonly number[]): (number | null)[] {
    return nearestRanks(this.weighed(), quantiles);
  }

  /** How content callers are: within the threshold, within four times as much, and all others and failed ones (DECISIONS 15). */
  apdex(thresholdMs: number): Apdex {
    let [satisfied, tolerating] = [0, 0];
    for (const { value, events, failed } of this.weighed()) {
      if (value <= thresholdMs) satisfied += events - failed;
      else if (value <= 4 * thresholdMs) tolerating += events - failed;
    }
    return { satisfied, tolerating, frustrated: this.measured - satisfied - tolerating };
  }

  /**
   * Latencies that ascend. Of many events they are those of buckets, also where they are known as they are: so answers do
   * not depend on what they were read from.
   */
  private weighed(): Weighed[] {
    const isExact = this.measured <= EXACT_UP_TO;
    const weighed: { value: number; events: number; failed: number }[] = [];
    for (const latency of [...this.counts.keys()].sort((a, b) => a - b)) {
      const value = isExact ? latency : middleOf(bucketOf(latency));
      const [events, failed] = [this.counts.get(latency) ?? 0, this.failed.get(latency) ?? 0];
      const last = weighed.at(-1);
      if (last?.value !== value) weighed.push({ value, events, failed });
      else {
        last.events += events;
        last.failed += failed;
      }
    }
    return weighed;
  }
}

function addTo(numbers: Map<number, number>, values: readonly number[], counts: readonly number[]): void {
  for (const [index, value] of values.entries()) {
    const count = counts[index] ?? 0;
    if (count > 0) numbers.set(value, (numbers.get(value) ?? 0) + count);
  }
}
