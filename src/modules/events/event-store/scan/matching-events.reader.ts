import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import { ClickHouseUnavailable } from '../reading/clickhouse-events.reader.js';
import { inWindow } from '../totals/event-filter.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { ReadDeadline } from '../../long-reads/index.js';
import type { EventCondition } from '../../eql-language/index.js';
import { ScanSelection } from './scan-selection.js';
import { EventScan } from './event-scan.js';
import { ClickHouseScanReader, isFromClickHouse } from './clickhouse-scan.reader.js';

const INITIAL_BYTES = 8_192;
/**
 * The ids of the chosen events are written into a statement, so their number is limited. Beyond the limit PostgreSQL
 * answers alone.
 */
const MOST_CHOSEN = 100_000;

/** Selects events of a project. */
export interface EventSelection {
  readonly window: TimeWindow;
  /** A condition on `events e`. */
  readonly filter?: (bind: Bind) => string;
  readonly where?: EventCondition | null;
}

/** Selects events of both stores with a condition that SQL alone cannot decide. */
export interface EventSelectionOfBoth extends EventSelection {
  readonly filter: (bind: Bind) => string;
  /** The same condition as `filter`, for the rows `e` of ClickHouse. It begins with ` AND `. */
  readonly clickHouseFilter: (bind: BindValue) => string;
  readonly where: EventCondition;
}

/** The ids of events that the process has found to match. */
export interface ChosenEvents {
  readonly replicated: readonly string[];
  readonly tail: readonly string[];
}

/**
 * Returns a relation with the alias `e` that holds rows of `events`. It is only valid in the snapshot that it was made
 * in.
 */
export type MatchingEvents = (bind: Bind) => string;

/**
 * Finds the events that match a condition, for statements that aggregate them. Where SQL alone cannot decide, each
 * candidate is evaluated in the process. The statement then selects the matching candidates by a bit string, which has
 * one bit per candidate in the order of time.
 */
@Injectable()
export class MatchingEventsReader {
  constructor(
    private readonly scan: EventScan,
    private readonly clickHouse: ClickHouseScanReader,
  ) {}

  /** @throws QueryTooLong */
  async of(
    tx: Db,
    { projectId }: Pick<ProjectScope, 'projectId'>,
    query: EventSelection,
    deadline: ReadDeadline,
  ): Promise<MatchingEvents> {
    const { window, filter, where } = query;
    const candidates = (bind: Bind): string =>
      `events e WHERE e.project_id = ${bind(projectId)} AND ${inWindow('e."timestamp"', window, { bind })}
       ${filter === undefined ? '' : `AND ${filter(bind)}`} ${where ? `AND (${where.sql(bind)})` : ''}`;
    if (!where || where.isExact) return (bind) => `(SELECT e.* FROM ${candidates(bind)} ${TENANT}) e`;
    const bits = await this.bitsOf(tx, { projectId }, { ...query, where }, deadline);
    return (bind) =>
      `(SELECT * FROM (SELECT e.*, row_number() OVER (ORDER BY e."timestamp", e.id) - 1 AS place FROM ${candidates(bind)}
                       ${TENANT}) e WHERE get_bit(${bind(bits)}::bytea, place) = 1) e`;
  }

  /**
   * Finds the matching events of both stores.
   * @returns null when PostgreSQL has to answer alone, for example when more than {@link MOST_CHOSEN} events of
   * ClickHouse match
   * @throws QueryTooLong
   */
  async ofBoth(
    tx: Db,
    scope: Pick<ProjectScope, 'projectId'>,
    { window, filter, clickHouseFilter, where }: EventSelectionOfBoth,
    deadline: ReadDeadline,
    signal: AbortSignal,
  ): Promise<ChosenEvents | null> {
    const selection = new ScanSelection([{ category: null, condition: where }], []);
    const options = {
      isNewestFirst: false,
      wanted: 'all',
      deadline,
      within: filter,
      clickHouseWithin: clickHouseFilter,
    } as const;
    const chosen = { replicated: [] as string[], tail: [] as string[] };
    try {
      const rows = await this.clickHouse.rows(tx, scope, window, selection, options, signal);
      if (rows === null) return null;
      await this.scan.forEach(tx, scope, window, selection, { ...options, rows }, (row) => {
        if (where.truth(selection.subject(row), deadline) !== true) return true;
        chosen[isFromClickHouse(row) ? 'replicated' : 'tail'].push(row.id);
        return chosen.replicated.length <= MOST_CHOSEN;
      });
    } catch (error) {
      if (error instanceof ClickHouseUnavailable) return null;
      throw error;
    }
    return chosen.replicated.length > MOST_CHOSEN ? null : chosen;
  }

  /** Returns one bit per candidate, oldest first. The bit is set when the candidate matches. */
  private async bitsOf(
    tx: Db,
    scope: Pick<ProjectScope, 'projectId'>,
    { window, filter, where }: EventSelection & { readonly where: EventCondition },
    deadline: ReadDeadline,
  ): Promise<Buffer> {
    let bits = Buffer.alloc(INITIAL_BYTES);
    const selection = new ScanSelection([{ category: null, condition: where }], []);
    const options = { isNewestFirst: false, wanted: 'all', deadline, ...(filter && { within: filter }) } as const;
    await this.scan.forEach(tx, scope, window, selection, options, (row, number) => {
      const bit = number - 1;
      if (bit >> 3 >= bits.length) bits = Buffer.concat([bits, Buffer.alloc(bits.length)]);
      if (where.truth(selection.subject(row), deadline) === true) {
        bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
      }
      return true;
    });
    return bits;
  }
}

/** The lint rule about tenants cannot read the condition inside the template. */
const TENANT = '/* tenant: candidates compare the project */';
