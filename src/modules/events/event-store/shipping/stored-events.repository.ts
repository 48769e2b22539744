import type { Readable } from 'node:stream';
import type { ProjectId } from '../../../access/index.js';
import { type ClickHouse, type QuerySettings, StatementValues } from '../../../../platform/clickhouse/index.js';
import { instantSql } from '../../fields/index.js';
import { writtenIds } from '../reading/written-values.js';
import { BLOCK_COLUMN, EVENT_COLUMNS } from '../tables/columns.js';
import { eventTable, KEPT_TABLES, keptTable, NO_MONTH, TEXT_INDEXES } from '../tables/table-statements.js';

const COLUMNS = [BLOCK_COLUMN.name, ...EVENT_COLUMNS.map(({ name }) => name)] as const;

/**
 * One block of rows, however the server likes to cut them; acknowledged when it is stored. Months of a block are as many as
 * the arrivals of its events allow.
 */
const INSERT: QuerySettings = {
  async_insert: 0,
  insert_deduplicate: 1,
  input_format_null_as_default: 0,
  input_format_parallel_parsing: 0,
  // They are made when its parts are merged: until then a search reads these as they are.
  exclude_materialize_skip_indexes_on_insert: TEXT_INDEXES.join(', '),
  max_partitions_per_insert_block: '1000',
};
/** One after the other: while quorums may be sought side by side, reads that ask for what was acknowledged may miss it. */
const INSERT_IN_CLUSTER: QuerySettings = {
  ...INSERT,
  distributed_foreground_insert: 1,
  insert_quorum: 'auto',
  insert_quorum_parallel: 0,
};

/** Of a statement that looks at every row: the server says now and then that it goes on, or the connection would be given up. */
const LONG: QuerySettings = { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: '20000' };

/** Of a statement that names many months, which senders choose, or many projects. */
const MOST_CHARACTERS = '16777216';

const IN_NO_MONTH = `IN PARTITION ID '${NO_MONTH}'`;

/** Where an event of a project lies. */
export interface StoredPlace {
  readonly at: Date;
  readonly id: string;
}

/** Where an event lies in the order of project, timestamp and id. */
export interface ProjectPlace extends StoredPlace {
  readonly project: ProjectId;
}

/** Events in that order, from behind a place (null: the first of all) up to the last one. */
export interface PlaceRange {
  readonly behind: ProjectPlace | null;
  readonly last: ProjectPlace;
  /** Those whose events they are. */
  readonly projects: readonly ProjectId[];
}

/** Both as digits, since there may be more than doubles tell. */
export interface ProjectSum {
  readonly project: string;
  readonly events: string;
  /** Of the last 32 bits of each id. */
  readonly ids: string;
}

/** A UTC month. */
interface Month {
  readonly month: Date;
  readonly nextMonth: Date;
}

export interface MonthCount extends Pick<Month, 'month'> {
  readonly project: string;
  /** As digits. */
  readonly events: string;
}

/** Whether the event store has what PostgreSQL has of a project. @param copied undefined: nothing */
export function isSameSum(kept: ProjectSum, copied: ProjectSum | undefined): boolean {
  const { events, ids } = copied ?? { events: '0', ids: '0' };
  return kept.events === events && (kept.ids === ids || kept.events === '0');
}

/** The events of ClickHouse, as shipping changes them. */
export class StoredEventsRepository {
  constructor(private readonly server: ClickHouse) {}

  /**
   * Stores what of it is not stored under the same token; each month in whole or not at all.
   * @throws SilentServer when that is not acknowledged in time
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

  /** How many events a block has brought. */
  async countOf(block: number): Promise<number> {
    const [row] = await this.server.rows<{ events: number | string }>(
      `SELECT /* every tenant: those of the block */ count() AS events FROM ${eventTable(this.server)} WHERE block = {block: UInt64}`,
      { block },
    );
    return Number(row?.events ?? 0);
  }

  /** Whether there is anything of a later block. */
  async hasLater(block: number): Promise<boolean> {
    const rows = await this.server.rows(
      `SELECT /* every tenant: whether there is one */ 1 AS there FROM ${eventTable(this.server)} WHERE block > {block: UInt64} LIMIT 1`,
      { block },
    );
    return rows.length > 0;
  }

  /** Which of the projects have any event there. */
  async projectsBetween({ behind, last, projects }: PlaceRange): Promise<Set<string>> {
    const { bind, values } = new StatementValues();
    const place = ({ at, id }: StoredPlace): string => `(${instantSql(at, bind)}, UUIDToNum(${bind(id, 'UUID')}))`;
    const PLACE = '(e.timestamp, UUIDToNum(e.id))';
    const parts = new Map<string, string[]>();
    const add = (project: ProjectId, ...conditions: string[]): void =>
      void parts.set(project, [...(parts.get(project) ?? [`e.project_id = ${bind(project, 'UUID')}`]), ...conditions]);
    // Of those at both ends a part alone; times by themselves, since they are what the order of the rows is used for.
    if (behind !== null && projects.includes(behind.project))
      add(behind.project, `e.timestamp >= ${instantSql(behind.at, bind)}`, `${PLACE} > ${place(behind)}`);
    add(last.project, `e.timestamp <= ${instantSql(last.at, bind)}`, `${PLACE} <= ${place(last)}`);
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

  /** Which events of a project there are between two places, both included. */
  async idsBetween(projectId: ProjectId, from: StoredPlace, to: StoredPlace): Promise<Set<string>> {
    const { bind, values } = new StatementValues();
    const place = ({ at, id }: StoredPlace): string => `(${instantSql(at, bind)}, UUIDToNum(${bind(id, 'UUID')}))`;
    const rows = await this.server.rows<{ id: string }>(
      `SELECT toString(e.id) AS id FROM ${eventTable(this.server)} AS e
       WHERE e.project_id = ${bind(projectId, 'UUID')}
         AND e.timestamp BETWEEN ${instantSql(from.at, bind)} AND ${instantSql(to.at, bind)}
         AND (e.timestamp, UUIDToNum(e.id)) BETWEEN ${place(from)} AND ${place(to)}`,
      values,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Which of these events there are up to a block, each as it is in the list. @param events not none, a thousand at most */
  async among(events: readonly ProjectPlace[], block: number): Promise<ReadonlySet<ProjectPlace>> {
    const { bind, values } = new StatementValues();
    // Written into the statement, as so many have no room in an address.
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

  /** What there is of each project up to a block. @param window only events from then on, and before then; left out: all */
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

  /** How many events there are of each project in months, up to a block. @param months oldest first, none empty */
  async countsOf(block: number, months: readonly Month[]): Promise<MonthCount[]> {
    const [first, last] = [months[0], months.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { bind, values } = new StatementValues();
    // Between two of them there may be others.
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

  /** Resolves when nothing of later blocks is seen any more. */
  async removeLater(block: number): Promise<void> {
    await this.server.command(
      `ALTER TABLE ${keptTable(this.server)} DELETE WHERE block > {block: UInt64} SETTINGS mutations_sync = 2`,
      { block },
    );
  }

  /** Resolves when nothing of the block is seen any more. */
  async removeBlock(block: number): Promise<void> {
    await this.server.command(
      `ALTER TABLE ${keptTable(this.server)} DELETE WHERE block = {block: UInt64} SETTINGS mutations_sync = 2`,
      { block },
    );
  }

  /** Has the rows of a project removed from the disk, which takes its time. @returns whether nothing is left */
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

  /** The months that have a partition, such as `202603`, and `0` for what has none. */
  async months(): Promise<string[]> {
    const { database } = this.server;
    const rows = await this.server.rows<{ id: string }>(
      `SELECT DISTINCT /* every tenant: their events share partitions */ partition_id AS id FROM ${this.ofEveryServer('system.parts')}
       WHERE database = {database: String} AND table IN {tables: Array(String)} AND active ORDER BY id`,
      { database, tables: KEPT_TABLES },
    );
    return rows.map(({ id }) => id);
  }

  /** @param month of {@link months} */
  async dropMonth(month: string): Promise<void> {
    // However large it is: a server has a bound for people who mistype.
    await this.server.command(
      `ALTER TABLE ${keptTable(this.server)} DROP PARTITION ID {month: String} SETTINGS max_partition_size_to_drop = 0`,
      { month },
    );
  }

  /** Has older rows among those without a month removed from the disk, which takes its time. @returns whether there are any */
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

  /** Whether a mutation with a text in its command is under way. */
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
