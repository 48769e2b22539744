import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { EventLoopYield } from '../../../../platform/concurrency/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { ScanRow, ScanSelection } from './scan-selection.js';
import { ScanRepository, type Reading } from './scan.repository.js';
import { StatementTime } from './statement-time.js';

/** The deadline is checked and other requests get a turn after this many events. */
const EVENTS_OF_A_STRETCH = 64;
/** The first fetch of a scan that may end early has this many rows. */
const FEWEST_ROWS = 100;
const MOST_ROWS = 1_000;

/**
 * A visitor must not change its state before its last test of a text, because a visit starts again after a pause.
 * @returns false to end the scan
 */
type Visit = (row: ScanRow, number: number) => boolean;

export interface ScanOptions extends Reading {
  /**
   * `all`: the scan reads every candidate. `some`: the visitor may end the scan early, so fewer rows are fetched first.
   * A number: the scan reads at most this many candidates.
   */
  readonly wanted: 'all' | 'some' | number;
  /** The same condition as `within`, for the rows `e` of ClickHouse. It begins with ` AND `. */
  readonly clickHouseWithin?: (bind: BindValue) => string;
  /** Candidates of ClickHouse have their sizes. */
  readonly withSizes?: boolean;
  /** The candidates, when they do not come from PostgreSQL. */
  readonly rows?: AsyncGenerator<readonly ScanRow[], void>;
}

/** Visits the candidates of a window, and lets other requests run in between. */
@Injectable()
export class EventScan {
  constructor(private readonly repository: ScanRepository) {}

  /**
   * @param visit receives each candidate with its number, counted from 1
   * @returns the number of visited candidates
   * @throws QueryTooLong
   */
  async forEach(
    tx: Db,
    scope: Pick<ProjectScope, 'projectId'>,
    window: TimeWindow,
    selection: ScanSelection,
    options: ScanOptions,
    visit: Visit,
  ): Promise<number> {
    const { deadline } = options;
    const time = new StatementTime(deadline);
    const others = new EventLoopYield();
    const pause = (milliseconds: number): Promise<void> => others.after(milliseconds);
    let scanned = 0;
    let at: ScanRow | undefined;
    const ask = (): boolean => at === undefined || visit(at, scanned);
    const batches =
      options.rows === undefined ? this.batches(tx, scope, window, selection, options, time) : ready(options.rows);
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
          at = { ...row, ...(await this.repository.properties(tx, scope, row, selection, time)) };
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

  /** When all candidates are wanted, the next rows are fetched while the current rows are visited. */
  private async *batches(
    tx: Db,
    scope: Pick<ProjectScope, 'projectId'>,
    window: TimeWindow,
    selection: ScanSelection,
    { wanted, ...reading }: ScanOptions,
    time: StatementTime,
  ): AsyncGenerator<Batch, void> {
    if (typeof wanted === 'number' && wanted <= MOST_ROWS) {
      yield { rows: await this.repository.first(tx, scope, window, selection, reading, wanted, time) };
      return;
    }
    await this.repository.open(tx, scope, window, selection, reading, time);
    const fetch = (most: number): Promise<ScanRow[]> => this.repository.fetch(tx, selection, most, time);
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
      // The transaction must not continue or end while one of its statements runs.
      await next.then(nothing, nothing);
    }
    await this.repository.close(tx);
  }
}

interface Batch {
  readonly rows: readonly ScanRow[];
  /** Resolves when the connection is free for another statement. It is free at once when undefined. */
  readonly idle?: Promise<void>;
}

async function* ready(batches: AsyncGenerator<readonly ScanRow[], void>): AsyncGenerator<Batch, void> {
  for await (const rows of batches) yield { rows };
}

function nothing(): void {
  // The reader that awaits the rows gets the error.
}
