import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { type ReadBounds, StatementValues } from '../../../../platform/clickhouse/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { CopiedEventsReader, CopyCannotTell, CopyReadTooLong } from '../reading/copied-events.reader.js';
import type { TimeWindow } from '../totals/coverage.js';
import { UncopiedEventsReader } from '../reading/uncopied-events.reader.js';
import { instantSql } from '../../fields/index.js';
import { QueryTooLong } from '../../long-reads/index.js';
import type { CandidateRow, CandidateSelection } from './candidate-selection.js';
import type { Walk } from './candidate-walk.js';
import { CandidatesRepository } from './candidates.repository.js';

/** Candidates that are not copied yet: they are all read before the first one is looked at. */
const MOST_UNCOPIED = 5_000;
/** Of large events so many are read at once, and no more than this of their properties, but of a single one. */
const LARGE_AT_ONCE = 50;
const LARGE_AT_ONCE_BYTES = 1_048_576;

/** A candidate of ClickHouse. */
interface CopiedRow extends CandidateRow {
  /** 1: ClickHouse cannot read it. */
  readonly unread: number;
}

/** Whether ClickHouse has it, of the candidates of both. */
export function isCopied({ unread }: CandidateRow): boolean {
  return unread !== undefined;
}

type Scope = Pick<ProjectScope, 'projectId'>;

/** Reads the events that queries are about: those that are copied from ClickHouse, with what PostgreSQL has beside them. */
@Injectable()
export class CopiedCandidatesReader {
  constructor(
    private readonly candidates: CandidatesRepository,
    private readonly copied: CopiedEventsReader,
    private readonly uncopied: UncopiedEventsReader,
  ) {}

  /** Tells who has answered. */
  answered(store: 'clickhouse' | 'postgres'): void {
    if (this.copied.isAsked) this.copied.answered(store);
  }

  /**
   * In the order of the walk, some at a time; as many as it wants.
   * @returns null where PostgreSQL has to answer alone
   * @throws QueryTooLong while they are read, and CopyCannotTell where that turns out then
   */
  async rows(
    tx: Db,
    scope: Scope,
    window: TimeWindow,
    selection: CandidateSelection,
    walk: Walk,
    signal: AbortSignal | undefined,
  ): Promise<AsyncGenerator<readonly CandidateRow[], void> | null> {
    if (!this.copied.isAsked || this.copied.isSilent) return null;
    const statement = new StatementValues();
    const { bind } = statement;
    const block = await this.uncopied.block(scope, tx);
    if (block === null) return null;
    const beside = await this.candidates.uncopied(tx, scope, window, selection, walk, MOST_UNCOPIED + 1);
    if (beside.length > MOST_UNCOPIED) return null;
    const { isNewestFirst, wanted, deadline, copiedWithin } = walk;
    const others = copiedWithin?.(bind) ?? '';
    const bounds = (): ReadBounds => ({ milliseconds: deadline.left(), ...(signal && { signal }) });
    const { columns, where, unread } = selection.copiedSql(bind);
    const order = isNewestFirst ? ' DESC' : '';
    const limit = typeof wanted === 'number' ? ` LIMIT ${bind(wanted, 'UInt64')}` : '';
    const stream = this.copied.stream<CopiedRow>(
      scope,
      block,
      (copied) => `${columns}, ${unread} AS unread FROM ${copied} AS e
        WHERE e.timestamp >= ${instantSql(window.from, bind)} AND e.timestamp < ${instantSql(window.to, bind)} AND ${where}${others}
        ORDER BY e.timestamp${order}, UUIDToNum(e.id)${order}${limit}`,
      statement,
      bounds(),
    );
    const large = (rows: readonly CandidateRow[]): Promise<CandidateRow[]> =>
      this.withProperties(scope, block, selection, rows, bounds());
    return upTo(wanted, withLarge(merged(stream, beside, selection, isNewestFirst), selection, large));
  }

  /** Large events with what they were selected without; those that are gone by now have none of it. */
  private async withProperties(
    scope: Scope,
    block: number,
    selection: CandidateSelection,
    rows: readonly CandidateRow[],
    bounds: ReadBounds,
  ): Promise<CandidateRow[]> {
    const statement = new StatementValues();
    const { bind } = statement;
    const times = rows.map(({ ms }) => ms);
    const ids = rows.map(({ id }) => id);
    const [oldest, newest] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
    const found = await this.copied.rows<Readonly<Record<string, unknown>> & { readonly id: string }>(
      scope,
      block,
      (copied) => `toString(e.id) AS id, ${selection.copiedPropertiesSql(bind)} FROM ${copied} AS e
        WHERE e.timestamp >= ${instantSql(oldest, bind)} AND e.timestamp <= ${instantSql(newest, bind)}
          AND e.id IN ${bind(ids, 'Array(UUID)')}`,
      statement,
      bounds,
    );
    if (found === null) throw new CopyCannotTell();
    const known = new Map(found.map((one) => [one.id, one]));
    return rows.map((row) => selection.withProperties(row, known.get(row.id) ?? {}));
  }
}

async function* merged(
  stream: AsyncGenerator<readonly CopiedRow[], void>,
  beside: readonly CandidateRow[],
  selection: CandidateSelection,
  isNewestFirst: boolean,
): AsyncGenerator<readonly CandidateRow[], void> {
  let next = 0;
  try {
    for await (const rows of stream) {
      const together: CandidateRow[] = [];
      for (const row of rows) {
        if (row.unread === 1) throw new CopyCannotTell();
        for (let other = beside[next]; other !== undefined; other = beside[next]) {
          if (isBefore(row, other) !== isNewestFirst) break;
          together.push(other);
          next += 1;
        }
        together.push(selection.fromCopy(row));
      }
      yield together;
    }
  } catch (error) {
    throw error instanceof CopyReadTooLong ? new QueryTooLong() : error;
  }
  yield beside.slice(next);
}

/** Reads what large events of ClickHouse came without, before they are looked at. */
async function* withLarge(
  batches: AsyncGenerator<readonly CandidateRow[], void>,
  selection: CandidateSelection,
  read: (rows: readonly CandidateRow[]) => Promise<CandidateRow[]>,
): AsyncGenerator<readonly CandidateRow[], void> {
  const isIncomplete = (row: CandidateRow): boolean => row.large_bytes !== undefined && selection.isLarge(row);
  for await (const rows of batches) {
    for (let next = 0; next < rows.length;) {
      const large: CandidateRow[] = [];
      const begin = next;
      for (let bytes = 0; next < rows.length; next += 1) {
        const row = rows[next];
        if (row === undefined || !isIncomplete(row)) continue;
        bytes += row.large_bytes ?? 0;
        if (large.length > 0 && (bytes > LARGE_AT_ONCE_BYTES || large.length >= LARGE_AT_ONCE)) break;
        large.push(row);
      }
      const together = rows.slice(begin, next);
      if (large.length === 0) yield together;
      else {
        const complete = (await readingTime(read(large))).values();
        yield together.map((row) => (isIncomplete(row) ? (complete.next().value ?? row) : row));
      }
    }
  }
}

async function readingTime<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof CopyReadTooLong ? new QueryTooLong() : error;
  }
}

async function* upTo(
  wanted: Walk['wanted'],
  batches: AsyncGenerator<readonly CandidateRow[], void>,
): AsyncGenerator<readonly CandidateRow[], void> {
  let left = typeof wanted === 'number' ? wanted : Infinity;
  for await (const rows of batches) {
    yield rows.length <= left ? rows : rows.slice(0, left);
    left -= rows.length;
    if (left <= 0) return;
  }
}

/** Ids in the order of their bytes, which is that of their text. */
function isBefore(one: CandidateRow, other: CandidateRow): boolean {
  return one.ms === other.ms ? one.id < other.id : one.ms < other.ms;
}
