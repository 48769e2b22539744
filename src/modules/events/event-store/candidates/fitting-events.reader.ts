import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import { CopyCannotTell } from '../reading/copied-events.reader.js';
import { inWindow } from '../totals/event-filter.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { Deadline } from '../../long-reads/index.js';
import type { EventCondition } from '../../eql-language/index.js';
import { CandidateSelection } from './candidate-selection.js';
import { CandidateWalk } from './candidate-walk.js';
import { CopiedCandidatesReader, isCopied } from './copied-candidates.reader.js';

const FIRST_PLACES = 8_192;
/** Whose ids stand in a statement. */
const MOST_CHOSEN = 100_000;

/** What of a project's events is asked for. */
export interface AskedEvents {
  readonly window: TimeWindow;
  /** A condition on `events e`. */
  readonly filter?: (bind: Bind) => string;
  readonly where?: EventCondition | null;
}

/** Asked of both stores, where SQL alone cannot say what fits. */
export interface AskedOfBoth extends AskedEvents {
  readonly filter: (bind: Bind) => string;
  /** As `filter`, on the rows `e` of ClickHouse, with ` AND ` before it. */
  readonly copiedFilter: (bind: BindValue) => string;
  readonly where: EventCondition;
}

/** Events that were asked about one by one, by id. */
export interface ChosenEvents {
  readonly copied: readonly string[];
  readonly uncopied: readonly string[];
}

/** Rows of `events`, for a FROM that calls them `e`. Of the snapshot alone that it was made in. */
export type FittingEvents = (bind: Bind) => string;

/**
 * Finds the events that fit a condition, for statements that add them up. Where SQL alone cannot say which do, the events
 * it leaves are asked one by one, and the statement takes those whose places in the order of time are set in a bit string.
 */
@Injectable()
export class FittingEventsReader {
  constructor(
    private readonly walk: CandidateWalk,
    private readonly copied: CopiedCandidatesReader,
  ) {}

  /** @throws QueryTooLong */
  async of(
    tx: Db,
    { projectId }: Pick<ProjectScope, 'projectId'>,
    asked: AskedEvents,
    deadline: Deadline,
  ): Promise<FittingEvents> {
    const { window, filter, where } = asked;
    const candidates = (bind: Bind): string =>
      `events e WHERE e.project_id = ${bind(projectId)} AND ${inWindow('e."timestamp"', window, { bind })}
       ${filter === undefined ? '' : `AND ${filter(bind)}`} ${where ? `AND (${where.sql(bind)})` : ''}`;
    if (!where || where.isExact) return (bind) => `(SELECT e.* FROM ${candidates(bind)} ${TENANT}) e`;
    const places = await this.placesOf(tx, { projectId }, { ...asked, where }, deadline);
    return (bind) =>
      `(SELECT * FROM (SELECT e.*, row_number() OVER (ORDER BY e."timestamp", e.id) - 1 AS place FROM ${candidates(bind)}
                       ${TENANT}) e WHERE get_bit(${bind(places)}::bytea, place) = 1) e`;
  }

  /**
   * As {@link of}, of the events of both stores.
   * @returns null where PostgreSQL has to answer alone, as for more than go into a statement of ClickHouse
   * @throws QueryTooLong
   */
  async ofBoth(
    tx: Db,
    scope: Pick<ProjectScope, 'projectId'>,
    { window, filter, copiedFilter, where }: AskedOfBoth,
    deadline: Deadline,
    signal: AbortSignal,
  ): Promise<ChosenEvents | null> {
    const selection = new CandidateSelection([{ category: null, condition: where }], []);
    const walk = { isNewestFirst: false, wanted: 'all', deadline, within: filter, copiedWithin: copiedFilter } as const;
    const chosen = { copied: [] as string[], uncopied: [] as string[] };
    try {
      const rows = await this.copied.rows(tx, scope, window, selection, walk, signal);
      if (rows === null) return null;
      await this.walk.through(tx, scope, window, selection, { ...walk, rows }, (row) => {
        if (where.truth(selection.subject(row), deadline) !== true) return true;
        chosen[isCopied(row) ? 'copied' : 'uncopied'].push(row.id);
        return chosen.copied.length <= MOST_CHOSEN;
      });
    } catch (error) {
      if (error instanceof CopyCannotTell) return null;
      throw error;
    }
    return chosen.copied.length > MOST_CHOSEN ? null : chosen;
  }

  /** A bit for each candidate, oldest first, set where it fits. */
  private async placesOf(
    tx: Db,
    scope: Pick<ProjectScope, 'projectId'>,
    { window, filter, where }: AskedEvents & { readonly where: EventCondition },
    deadline: Deadline,
  ): Promise<Buffer> {
    let places = Buffer.alloc(FIRST_PLACES);
    const selection = new CandidateSelection([{ category: null, condition: where }], []);
    const walk = { isNewestFirst: false, wanted: 'all', deadline, ...(filter && { within: filter }) } as const;
    await this.walk.through(tx, scope, window, selection, walk, (row, number) => {
      const place = number - 1;
      if (place >> 3 >= places.length) places = Buffer.concat([places, Buffer.alloc(places.length)]);
      if (where.truth(selection.subject(row), deadline) === true) {
        places[place >> 3] = (places[place >> 3] ?? 0) | (1 << (place & 7));
      }
      return true;
    });
    return places;
  }
}

/** For lint, which cannot look into what is asked for. */
const TENANT = '/* tenant: candidates compare the project */';
