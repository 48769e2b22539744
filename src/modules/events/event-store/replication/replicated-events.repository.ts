import type { Readable } from 'node:stream';
import type { ProjectId } from '../../../access/index.js';
import { type ClickHouse, type QuerySettings, StatementValues } from '../../../../platform/clickhouse/index.js';
import { instantSql } from '../../fields/index.js';
import { writtenIds } from '../reading/written-values.js';
import { BLOCK_COLUMN, EVENT_COLUMNS } from '../clickhouse-schema/columns.js';
import { eventTable, KEPT_TABLES, keptTable, NO_MONTH, TEXT_INDEXES } from '../clickhouse-schema/table-statements.js';

const COLUMNS = [BLOCK_COLUMN.name, ...EVENT_COLUMNS.map(({ name }) => name)] as const;

/**
 * An insert sends one block, and is acknowledged when the block is stored. Each month of a block is a partition.
 * Senders choose the timestamps, so the limit of partitions is high.
 */
const INSERT: QuerySettings = {
  async_insert: 0,
  insert_deduplicate: 1,
  input_format_null_as_default: 0,
  input_format_parallel_parsing: 0,
  // These indexes are built when parts are merged. Until then searches read the parts without an index.
  exclude_materialize_skip_indexes_on_insert: TEXT_INDEXES.join(', '),
  max_partitions_per_insert_block: '1000',
};
/**
 * Quorum inserts run one after another. With parallel quorums, a read with sequential consistency may miss acknowledged
 * rows.
 */
const INSERT_IN_CLUSTER: QuerySettings = {
  ...INSERT,
  distributed_foreground_insert: 1,
  insert_quorum: 'auto',
  insert_quorum_parallel: 0,
};

/**
 * Settings of a statement that reads every row. The server sends progress headers, so that the connection does not time
 * out.
 */
const LONG: QuerySettings = { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: '20000' };

/**
 * The maximum length of a statement that lists many months or projects. Senders choose the timestamps, and so the
 * number of months.
 */
const MOST_CHARACTERS = '16777216';

const IN_NO_MONTH = `IN PARTITION ID '${NO_MONTH}'`;

/** The position of an event within its project. */
export interface StoredLocator {
  readonly at: Date;
  readonly id: string;
}

/** The position of an event in the order of project, timestamp and id. */
export interface ProjectLocator extends StoredLocator {
  readonly project: ProjectId;
}

/**
 * A range in the order of project, timestamp and id: the events after `behind`, up to and including `last`. A null
 * `behind` means that the range starts with the first event.
 */
export interface LocatorRange {
  readonly behind: ProjectLocator | null;
  readonly last: ProjectLocator;
  /** The projects of these events. */
  readonly projects: readonly ProjectId[];
}

/**
 * The number of events of a project, and a checksum of their ids. Both are decimal digits, because a double may not be
 * exact.
 */
export interface ProjectSum {
  readonly project: string;
  readonly events: string;
  /** The sum of the last 32 bits of each id. */
  readonly ids: string;
}

/** A UTC month. */
interface Month {
  readonly month: Date;
  readonly nextMonth: Date;
}

export interface MonthCount extends Pick<Month, 'month'> {
  readonly project: string;
  /** The number as digits. */
  readonly events: string;
}

/**
 * True when ClickHouse has the same events of a project as PostgreSQL. @param replicated undefined when ClickHouse has
 * none
 */
export function isSameSum(kept: ProjectSum, replicated: ProjectSum | undefined): boolean {
  const { events, ids } = replicated ?? { events: '0', ids: '0' };
  return kept.events === events && (kept.ids === ids || kept.events === '0');
}

/** Reads and writes the events of ClickHouse for replication. */
export class ReplicatedEventsRepository {
  constructor(private readonly server: ClickHouse) {}

  /**
   * Stores a block. Each month of the block is stored completely or not at all. Months that were already stored under
   * the same token are ignored.
   * @throws SilentServer when the insert is not acknowledged in time
   */
  async insert(
    body: Readable,
    token: string,
    bounds: { readonly milliseconds: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const settings = this.server.cluster === undefined ? INSERT : INSERT_IN_CLUSTER;
    await this.server.insert({
      table: eventTable(this.server),
      columns: COLUMNS,
      body,
      settings: { ...settings, insert_deduplication_token: token },
      ...bounds,
    });
  }

  /** Counts the events of a block. */
  async countOf(block: number): Promise<number> {
    const [row] = await this.server.rows<{ events: number | string }>(
      `SELECT /* every tenant: those of the block */ count() AS events FROM ${eventTable(this.server)} WHERE block = {block: UInt64}`,
      { block },
    );
    return Number(row?.events ?? 0);
  }

  /** True when ClickHouse has rows of a later block. */
  async hasLater(block: number): Promise<boolean> {
    const rows = await this.server.rows(
      `SELECT /* every tenant: whether there is one */ 1 AS there FROM ${eventTable(this.server)} WHERE block > {block: UInt64} LIMIT 1`,
      { block },
    );
    return rows.length > 0;
  }

  /** Returns the projects that have an event in the range. */
  async projectsBetween({ behind, last, projects }: LocatorRange): Promise<Set<string>> {
    const { bind, values } = new StatementValues();
    const locator = ({ at, id }: StoredLocator): string => `(${instantSql(at, bind)}, UUIDToNum(${bind(id, 'UUID')}))`;
    const LOCATOR = '(e.timestamp, UUIDToNum(e.id))';
    const parts = new Map<string, string[]>();
    const add = (project: ProjectId, ...conditions: string[]): void =>
      void parts.set(project, [...(parts.get(project) ?? [`e.project_id = ${bind(project, 'UUID')}`]), ...conditions]);
    // The first and last project are only partly in the range. The conditions on the timestamp let ClickHouse use the
    // order of the rows.
    if (behind !== null && projects.includes(behind.project))
      add(behind.project, `e.timestamp >= ${instantSql(behind.at, bind)}`, `${LOCATOR} > ${locator(behind)}`);
    add(last.project, `e.timestamp <= ${instantSql(last.at, bind)}`, `${LOCATOR} <= ${locator(last)}`);
    const whole = projects.filter((project) => !parts.has(project));
    const ranges = [...parts.values()].map((conditions) => `(${conditions.join(' AND ')})`);
    if (whole.length > 0) ranges.push(`e.project_id IN ${writtenIds(whole)}`);
    const rows = await this.server.rows<{ project: string }>(
      `SELECT /* tenant: those of the ranges */ DISTINCT toString(e.project_id) AS project FROM ${eventTable(this.server)} AS e WHERE ${ranges.join(' OR ')}`,
      values,
      { max_query_size: MOST_CHARACTERS },
    );
    return new Set(rows.map(({ project }) => project));
  }

  /** Returns the ids of a project's events between two locators, both included. */
  async idsBetween(projectId: ProjectId, from: StoredLocator, to: StoredLocator): Promise<Set<string>> {
    const { bind, values } = new StatementValues();
    const locator = ({ at, id }: StoredLocator): string => `(${instantSql(at, bind)}, UUIDToNum(${bind(id, 'UUID')}))`;
    const rows = await this.server.rows<{ id: string }>(
      `SELECT toString(e.id) AS id FROM ${eventTable(this.server)} AS e
       WHERE e.project_id = ${bind(projectId, 'UUID')}
         AND e.timestamp BETWEEN ${instantSql(from.at, bind)} AND ${instantSql(to.at, bind)}
         AND (e.timestamp, UUIDToNum(e.id)) BETWEEN ${locator(from)} AND ${locator(to)}`,
      values,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns the given events that ClickHouse has up to a block. @param events 1 to 1,000 events */
  async among(events: readonly ProjectLocator[], block: number): Promise<ReadonlySet<ProjectLocator>> {
    const { bind, values } = new StatementValues();
    // The values are written into the statement, because so many do not fit into the URL of a request.
    const projects = writtenIds([...new Set(events.map(({ project }) => project))]);
    const times = [...new Set(events.map(({ at }) => at.getTime()))].join(', ');
    const rows = await this.server.rows<{ project: string; ms: string; id: string }>(
      `SELECT /* tenant: those of the list */ toString(e.project_id) AS project, toString(toUnixTimestamp64Milli(e.timestamp)) AS ms,
              toString(e.id) AS id FROM ${eventTable(this.server)} AS e
       WHERE e.block <= ${bind(block, 'UInt64')} AND e.project_id IN ${projects} AND e.id IN ${writtenIds(events.map(({ id }) => id))}
         AND e.timestamp IN (SELECT fromUnixTimestamp64Milli(toInt64(arrayJoin([${times}])), 'UTC'))`,
      values,
    );
    const there = new Set(rows.map(({ project, ms, id }) => `${project} ${ms} ${id}`));
    return new Set(events.filter(({ project, at, id }) => there.has(`${project} ${at.getTime()} ${id}`)));
  }

  /**
   * Sums the events of each project up to a block. @param window limits the timestamps; `from` is included, `to` is not
   */
  sums(block: number, { from, to }: { readonly from: Date | null; readonly to?: Date }): Promise<ProjectSum[]> {
    const { bind, values } = new StatementValues();
    const since = from === null ? '' : ` AND timestamp >= ${instantSql(from, bind)}`;
    const until = to === undefined ? '' : ` AND timestamp < ${instantSql(to, bind)}`;
    return this.server.rows<ProjectSum>(
      `SELECT /* every tenant: what each has */ toString(project_id) AS project, toString(count()) AS events,
              toString(sum(reinterpretAsUInt32(reverse(substring(UUIDToNum(id), 13, 4))))) AS ids
       FROM ${eventTable(this.server)} WHERE block <= ${bind(block, 'UInt64')}${since}${until} GROUP BY project_id`,
      values,
      LONG,
    );
  }

  /** Counts the events of each project in months, up to a block. @param months oldest first, none empty */
  async countsOf(block: number, months: readonly Month[]): Promise<MonthCount[]> {
    const [first, last] = [months[0], months.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { bind, values } = new StatementValues();
    // Months between the given months are counted, too, and must not be mixed with them.
    const ends = new Set(months.flatMap(({ month, nextMonth }) => [month.getTime(), nextMonth.getTime()]));
    const rows = await this.server.rows<{ project: string; ms: string; events: string }>(
      `SELECT /* every tenant: what each has */ toString(project_id) AS project,
              toString(roundDown(toUnixTimestamp64Milli(timestamp), [${[...ends].join(', ')}])) AS ms, toString(count()) AS events
       FROM ${eventTable(this.server)}
       WHERE block <= ${bind(block, 'UInt64')} AND timestamp >= ${instantSql(first.month, bind)} AND timestamp < ${instantSql(last.nextMonth, bind)}
       GROUP BY project, ms`,
      values,
      { ...LONG, max_query_size: MOST_CHARACTERS },
    );
    return rows.map(({ project, ms, events }) => ({ project, month: new Date(Number(ms)), events }));
  }

  /** Deletes later blocks. Resolves when no read sees them any more. */
  async removeLater(block: number): Promise<void> {
    await this.server.command(
      `ALTER TABLE ${keptTable(this.server)} DELETE WHERE block > {block: UInt64} SETTINGS mutations_sync = 2`,
      { block },
    );
  }

  /** Deletes a block. Resolves when no read sees it any more. */
  async removeBlock(block: number): Promise<void> {
    await this.server.command(
      `ALTER TABLE ${keptTable(this.server)} DELETE WHERE block = {block: UInt64} SETTINGS mutations_sync = 2`,
      { block },
    );
  }

  /** Starts the deletion of a project's rows, which takes a while. @returns true when no row is left */
  async removeOf(projectId: ProjectId): Promise<boolean> {
    const [row] = await this.server.rows<{ events: number | string }>(
      `SELECT /* tenant: that of the parameter */ count() AS events FROM ${eventTable(this.server)} WHERE project_id = {project: UUID}`,
      { project: projectId },
    );
    if (Number(row?.events ?? 0) === 0) return true;
    if (!(await this.isMutating(projectId))) {
      await this.server.command(
        `ALTER TABLE ${keptTable(this.server)} DELETE WHERE project_id = {project: UUID} SETTINGS mutations_sync = 0`,
        { project: projectId },
      );
    }
    return false;
  }

  /** Returns the months that have a partition, such as `202603`, and `0` for the partition without a month. */
  async months(): Promise<string[]> {
    const { database } = this.server;
    const rows = await this.server.rows<{ id: string }>(
      `SELECT DISTINCT /* every tenant: their events share partitions */ partition_id AS id FROM ${this.ofEveryServer('system.parts')}
       WHERE database = {database: String} AND table IN {tables: Array(String)} AND active ORDER BY id`,
      { database, tables: KEPT_TABLES },
    );
    return rows.map(({ id }) => id);
  }

  /** @param month a result of {@link months} */
  async dropMonth(month: string): Promise<void> {
    // Disables the size limit that protects operators from dropping a large partition by mistake.
    await this.server.command(
      `ALTER TABLE ${keptTable(this.server)} DROP PARTITION ID {month: String} SETTINGS max_partition_size_to_drop = 0`,
      { month },
    );
  }

  /**
   * Starts the deletion of older rows from the partition without a month, which takes a while. @returns true when there
   * are such rows
   */
  async removeBefore(before: Date): Promise<boolean> {
    const { bind, values } = new StatementValues();
    const isOld = `timestamp < ${instantSql(before, bind)}`;
    const rows = await this.server.rows(
      `SELECT /* every tenant: whether there is one */ 1 AS there FROM ${eventTable(this.server)}
       WHERE _partition_id = '${NO_MONTH}' AND ${isOld} LIMIT 1`,
      values,
    );
    if (rows.length === 0) return false;
    if (!(await this.isMutating(IN_NO_MONTH))) {
      await this.server.command(
        `ALTER TABLE ${keptTable(this.server)} DELETE ${IN_NO_MONTH} WHERE ${isOld} SETTINGS mutations_sync = 0`,
        values,
      );
    }
    return true;
  }

  /** True while a mutation runs whose command contains the text. */
  private async isMutating(text: string): Promise<boolean> {
    const { database } = this.server;
    const rows = await this.server.rows(
      `SELECT /* every tenant: one mutation is under way or none */ 1 AS there FROM ${this.ofEveryServer('system.mutations')}
       WHERE database = {database: String} AND NOT is_done AND position(command, {text: String}) > 0 LIMIT 1`,
      { database, text },
    );
    return rows.length > 0;
  }

  private ofEveryServer(table: string): string {
    const { cluster } = this.server;
    return cluster === undefined ? table : `clusterAllReplicas('${cluster}', ${table})`;
  }
}
