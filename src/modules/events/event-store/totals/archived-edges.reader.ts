import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { ReadBounds } from '../../../../platform/clickhouse/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import type { Db } from '../../../../platform/database/database.js';
import type { GroupedColumn, GroupedEvents } from '../reading/grouped-events.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import { StagedEventsWriter } from '../reading/staged-events.writer.js';
import { edgesOf, instantBeforeSql, inWindowsSql } from '../reading/windows-sql.js';
import { tailSql } from '../reading/tail.reader.js';
import type { Interval } from './count.js';
import type { TimeWindow } from './coverage.js';
import { conditionsOf, clickHouseConditionsOf, type Dimension, DIMENSIONS, type EventFilter } from './event-filter.js';

const INTERVAL_MS: Readonly<Record<Interval, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** The columns and the resolution of edges. */
interface EdgesQuery {
  readonly filter: EventFilter;
  readonly dimensions: readonly Dimension[];
  /** The UTC interval that edges are divided into. */
  readonly interval?: Interval | undefined;
}

/** The rows of edges that PostgreSQL may no longer have. */
export interface ArchivedEdges {
  has(edge: TimeWindow): boolean;
  /**
   * Returns a relation with `at` (an instant of the same edge and interval), the requested dimensions, `failed`, and
   * the number `n` of such events.
   */
  sql(bind: Bind): string;
}

/** Reads the edges of windows that begin before PostgreSQL's events. */
@Injectable()
export class ArchivedEdgesReader {
  constructor(
    private readonly archived: ArchivedEventsReader,
    private readonly staged: StagedEventsWriter,
  ) {}

  /** True when PostgreSQL lacks events of one of the edges. @param tx a transaction that may have staged events */
  async areArchived(edges: readonly TimeWindow[], tx?: Db): Promise<boolean> {
    const those = tx === undefined ? edges : edges.filter((edge) => !this.staged.isStaged(edge, tx));
    return those.length > 0 && (await this.archived.isArchived({ from: earliest(those) }));
  }

  /**
   * @param tx the snapshot that the edges belong to
   * @param bounds the limits of the read in ClickHouse
   * @throws ArchiveUnavailable
   */
  async of(
    scope: Pick<ProjectScope, 'projectId'>,
    edges: readonly TimeWindow[],
    { filter, dimensions, interval }: EdgesQuery,
    tx: Db,
    bounds: Partial<ReadBounds> = {},
  ): Promise<ArchivedEdges> {
    const hotFrom = await this.archived.hotFrom();
    const has = ({ from }: TimeWindow): boolean => hotFrom !== null && from < hotFrom;
    const those = edges.filter(has);
    const needed = DIMENSIONS.filter((name) => dimensions.includes(name) || filter[name] !== undefined);
    const starts = interval === undefined ? edgesOf(those) : divided(those, INTERVAL_MS[interval]);
    const columns = { at: atColumn(starts), ...Object.fromEntries(needed.map(dimensionColumn)), failed: FAILED };
    const events: GroupedEvents = await this.archived.grouped(
      scope,
      { columns, where: (bind) => `${inWindowsSql(those, bind)}${clickHouseConditionsOf(filter, bind)}` },
      tx,
      bounds,
    );
    const whole = { from: earliest(those), to: new Date(Math.max(...those.map(({ to }) => to.getTime()))) };
    return {
      has,
      sql: (bind) => events.sql(tailSql(scope.projectId, whole, `true${conditionsOf(filter, { bind })}`, bind), bind),
    };
  }
}

const FAILED: GroupedColumn = {
  clickHouse: () => 'e.log_status >= 500',
  postgres: () => 'e.log_status >= 500',
  type: 'bool',
};

function dimensionColumn(name: Dimension): readonly [Dimension, GroupedColumn] {
  const type = name === 'source_id' ? 'uuid' : 'text';
  return [name, { clickHouse: () => `e.${name}`, postgres: () => `e.${name}`, type }];
}

function atColumn(starts: readonly number[]): GroupedColumn {
  return {
    clickHouse: () => instantBeforeSql(starts),
    postgres: () => 'e."timestamp"',
    type: 'timestamptz',
  };
}

function divided(edges: readonly TimeWindow[], lengthMs: number): number[] {
  const all = new Set(edgesOf(edges));
  for (const { from, to } of edges) {
    for (let at = (Math.floor(from.getTime() / lengthMs) + 1) * lengthMs; at < to.getTime(); at += lengthMs)
      all.add(at);
  }
  return [...all].sort((a, b) => a - b);
}

function earliest(edges: readonly TimeWindow[]): Date {
  return new Date(Math.min(...edges.map(({ from }) => from.getTime())));
}
