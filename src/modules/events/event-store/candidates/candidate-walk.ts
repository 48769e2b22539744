import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { EventLoopYield } from '../../../../platform/concurrency/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { CandidateRow, CandidateSelection } from './candidate-selection.js';
import { CandidatesRepository, type Reading } from './candidates.repository.js';
import { StatementTime } from './statement-time.js';

/** Between two of these it is asked whether there is time left. */
const EVENTS_OF_A_STRETCH = 64;
/** Rows that are fetched at a time; what comes with them is small. */
const FEWEST_ROWS = 100;
const MOST_ROWS = 1_000;

/** Changes nothing before its last test of a text. @returns whether others may still be wanted */
type Visit = (row: CandidateRow, number: number) => boolean;

export interface Walk extends Reading {
  /**
   * How many candidates are looked at before others may be unwanted. `all`: none ever is. A number: no more than these
   * are wanted, be there others.
   */
  readonly wanted: 'all' | 'some' | number;
  /** As `within`, on the rows `e` of ClickHouse, with ` AND ` before it. */
  readonly copiedWithin?: (bind: BindValue) => string;
  /** The candidates, where they do not come from the database. */
  readonly rows?: AsyncGenerator<readonly CandidateRow[], void>;
}

/** Goes through the candidates of a window, and lets other requests in between. */
@Injectable()
export class CandidateWalk {
  constructor(private readonly candidates: CandidatesRepository) {}

  /**
   * @param visit what becomes of each, counted from 1
   * @returns how many were looked at
   * @throws QueryTooLong
   */
  async through(
    tx: Db,
    scope: Pick<ProjectScope, 'projectId'>,
    window: TimeWindow,
    selection: CandidateSelection,
    walk: Walk,
    visit: Visit,
  ): Promise<number> {
    const { deadline } = walk;
    const time = new StatementTime(deadline);
    const others = new EventLoopYield();
    const pause = (milliseconds: number): Promise<void> => others.after(milliseconds);
    let scanned = 0;
    let at: CandidateRow | undefined;
    const ask = (): boolean => at === undefined || visit(at, scanned);
    const batches = walk.rows === undefined ? this.batches(tx, scope, window, selection, walk, time) : ready(walk.rows);
    for await (const { rows, idle } of batches) {
      for (const row of rows) {
        scanned += 1;
        if (scanned % EVENTS_OF_A_STRETCH === 0) {
          await others.ifDue();
          deadline.left();
        }
        at = row;
        if (selection.isLarge(row)) {
          await idle;
          at = { ...row, ...(await this.candidates.properties(tx, scope, row, selection, time)) };
        }
        deadline.nextEvent();
        const startedAt = performance.now();
        const visited = deadline.inPieces(ask, pause);
        if (!(typeof visited === 'boolean' ? visited : await visited)) return scanned;
        if (deadline.isPauseDue()) {
          await others.after(performance.now() - startedAt);
          deadline.left();
        }
      }
    }
    return scanned;
  }

  /** The database looks for the next ones while these are looked at, where all are wanted. */
  private async *batches(
    tx: Db,
    scope: Pick<ProjectScope, 'projectId'>,
    window: TimeWindow,
    selection: CandidateSelection,
    { wanted, ...reading }: Walk,
    time: StatementTime,
  ): AsyncGenerator<Batch, void> {
    if (typeof wanted === 'number' && wanted <= MOST_ROWS) {
      yield { rows: await this.candidates.first(tx, scope, window, selection, reading, wanted, time) };
      return;
    }
    await this.candidates.open(tx, scope, window, selection, reading, time);
    const fetch = (most: number): Promise<CandidateRow[]> => this.candidates.fetch(tx, selection, most, time);
    let most = wanted === 'all' ? MOST_ROWS : FEWEST_ROWS;
    let next = fetch(most);
    try {
      for (;;) {
        const rows = await next;
        const isLast = rows.length < most;
        most = MOST_ROWS;
        if (wanted === 'all' && !isLast) {
          next = fetch(most);
          const idle = next.then(nothing, nothing);
          yield { rows, idle };
        } else {
          if (rows.length > 0) yield { rows };
          if (isLast) break;
          next = fetch(most);
        }
      }
    } finally {
      // The transaction goes on, or ends, when none of its statements is under way.
      await next.then(nothing, nothing);
    }
    await this.candidates.close(tx);
  }
}

interface Batch {
  readonly rows: readonly CandidateRow[];
  /** When another statement may be run; undefined: now. */
  readonly idle?: Promise<void>;
}

async function* ready(batches: AsyncGenerator<readonly CandidateRow[], void>): AsyncGenerator<Batch, void> {
  for await (const rows of batches) yield { rows };
}

function nothing(): void {
  // Whoever waits for the rows is told why there are none.
}
