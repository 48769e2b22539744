import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { StatementValues } from '../../../../platform/clickhouse/index.js';
import type { Db } from '../../../../platform/database/database.js';
import {
  CopiedEventsReader,
  CopyCannotTell,
  CopyReadTooLong,
  instantSql,
  UncopiedEventsReader,
} from '../../event-store/index.js';
import { QueryTooLong } from '../../reads/index.js';
import type { TimeWindow } from '../../totals/index.js';
import type { CandidateRow, CandidateSelection } from './candidate-selection.js';
import type { Walk } from './candidate-walk.js';
import { CandidatesRepository } from './candidates.repository.js';

/** Candidates that are not copied yet: they are all read before the first one is looked at. */
const MOST_UNCOPIED = 5_000;

interface CopiedRow extends CandidateRow {
  /** 1: ClickHouse cannot read it. */
  readonly unread: number;
}

type Scope = Pick<ProjectScope, 'projectId'>;

/** Reads the events that queries are about: those that are copied from ClickHouse, with what PostgreSQL has beside them. */
@Injectable()
export class CopiedCandidatesRepository {
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
    const { isNewestFirst, wanted, deadline } = walk;
    const { columns, where, unread } = selection.copiedSql(bind);
    const order = isNewestFirst ? ' DESC' : '';
    const limit = typeof wanted === 'number' ? ` LIMIT ${bind(wanted, 'UInt64')}` : '';
    const stream = this.copied.stream<CopiedRow>(
      scope,
      block,
      (copied) => `${columns}, ${unread} AS unread FROM ${copied} AS e
        WHERE e.timestamp >= ${instantSql(window.from, bind)} AND e.timestamp < ${instantSql(window.to, bind)} AND ${where}
        ORDER BY e.timestamp${order}, UUIDToNum(e.id)${order}${limit}`,
      statement,
      { milliseconds: deadline.left(), ...(signal && { signal }) },
    );
    return upTo(wanted, merged(stream, beside, selection, isNewestFirst));
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
