import { BLOCK_COLUMN, EVENT_COLUMNS } from './columns.js';

/**
 * The version of the tables, which is stored in the comment of each table. Adding columns or indexes does not change
 * it.
 */
export const TABLES_VERSION = 1;

export interface TableLocation {
  readonly database: string;
  /** The name of a cluster. Undefined for a single server. */
  readonly cluster: string | undefined;
}

/** The table for reads and inserts. */
export const EVENT_TABLE = 'events';
/** The table that stores the rows on each server of a cluster. */
const LOCAL_TABLE = 'events_local';
/** The tables that may store rows. */
export const KEPT_TABLES: readonly string[] = [EVENT_TABLE, LOCAL_TABLE];

/**
 * An event is in the partition of its month when its timestamp is near its arrival. Otherwise it is in partition 0.
 * Each partition of a block creates a part, and senders choose the timestamps. These limits make a block of events that
 * arrived together create at most 42 parts.
 */
const NEAR_PAST_DAYS = 1_100;
const NEAR_FUTURE_DAYS = 62;
/** The partition of events whose timestamp is far from their arrival. */
export const NO_MONTH = '0';

const PARTITION = `if(timestamp >= created_at - toIntervalDay(${NEAR_PAST_DAYS})
    AND timestamp <= created_at + toIntervalDay(${NEAR_FUTURE_DAYS}), toYYYYMM(timestamp), ${NO_MONTH})`;

/** Ids are ordered by their bytes, as in PostgreSQL. ClickHouse itself compares the second half of a UUID first. */
const ORDER = 'project_id, timestamp, UUIDToNum(id)';

/** The text that log search reads. A query must use exactly this expression to benefit from the index. */
export const LOG_TEXT = `lowerUTF8(concat(log_endpoint, ' ', log_method, ' ', event))`;

/** A data skipping index. */
export interface TableIndex {
  readonly name: string;
  readonly definition: string;
}

/**
 * Indexes for the filters of logs, with a granularity of 8,192 rows, and an index of trigrams for text search. A
 * changed definition needs a new name, because indexes of existing tables are compared by name.
 */
export const EVENT_INDEXES: readonly TableIndex[] = [
  { name: 'ix_event', definition: 'event TYPE bloom_filter(0.01) GRANULARITY 1' },
  { name: 'ix_log_method', definition: 'log_method TYPE set(32) GRANULARITY 1' },
  { name: 'ix_log_status', definition: 'log_status TYPE set(128) GRANULARITY 1' },
  { name: 'ix_log_endpoint', definition: 'log_endpoint TYPE bloom_filter(0.01) GRANULARITY 1' },
  { name: 'ix_external_event_id', definition: 'external_event_id TYPE bloom_filter(0.01) GRANULARITY 1' },
  { name: 'ix_id', definition: 'id TYPE bloom_filter(0.01) GRANULARITY 1' },
  { name: 'ix_block', definition: 'block TYPE minmax GRANULARITY 1' },
  { name: 'ix_log_text', definition: `${LOG_TEXT} TYPE ngrambf_v1(3, 8192, 3, 0) GRANULARITY 1` },
];

/**
 * Indexes of earlier versions that are no longer used. Other unknown indexes belong to later versions or to the
 * operator, and are kept.
 */
export const FORMER_INDEXES: readonly string[] = ['ix_endpoint_text', 'ix_message_text', 'ix_properties_text'];

/** The indexes of {@link EVENT_INDEXES} that are the most expensive to build. */
export const TEXT_INDEXES: readonly string[] = ['ix_log_text'];

/**
 * The number of remembered tokens, so that a block that is sent again is detected. Only one block is sent at a time,
 * and none is skipped.
 */
const KEPT_TOKENS = 10_000;
const TEN_YEARS_SECONDS = 315_360_000;

/** Acknowledged rows are on disk. */
const DURABLE = 'fsync_after_insert = 1, fsync_part_directory = 1';
const ONE_SERVER = `non_replicated_deduplication_window = ${KEPT_TOKENS}, ${DURABLE}`;
const REPLICATED = `replicated_deduplication_window = ${KEPT_TOKENS}, replicated_deduplication_window_seconds = ${TEN_YEARS_SECONDS}, ${DURABLE}`;

function quoted(name: string): string {
  return `\`${name}\``;
}

/** Returns the table for reads and inserts. */
export function eventTable({ database }: TableLocation): string {
  return `${quoted(database)}.${quoted(EVENT_TABLE)}`;
}

/**
 * Returns the table for deletions, columns and indexes. On a cluster it includes the clause that runs the statement on
 * every server.
 */
export function keptTable(location: TableLocation): string {
  if (location.cluster === undefined) return eventTable(location);
  return `${quoted(location.database)}.${quoted(keptTableName(location))} ON CLUSTER ${quoted(location.cluster)}`;
}

/** Returns the name of the table that stores the rows. */
export function keptTableName({ cluster }: Pick<TableLocation, 'cluster'>): string {
  return cluster === undefined ? EVENT_TABLE : LOCAL_TABLE;
}

export function databaseStatement({ database, cluster }: TableLocation): string {
  return `CREATE DATABASE IF NOT EXISTS ${quoted(database)}${onCluster(cluster)}`;
}

/** Returns the statements in order. Each does nothing when its table exists. */
export function tableStatements(location: TableLocation): string[] {
  const { database, cluster } = location;
  const comment = `COMMENT '${commentOf(TABLES_VERSION)}'`;
  const layout = `PARTITION BY ${PARTITION} ORDER BY (${ORDER})`;
  if (cluster === undefined) {
    return [
      `CREATE TABLE IF NOT EXISTS ${eventTable(location)} (${structure()})
       ENGINE = MergeTree ${layout} SETTINGS ${ONE_SERVER} ${comment}`,
    ];
  }
  // Each shard has its own path in the keeper. The macros of each server define its shard and replica.
  const path = `/clickhouse/tables/{shard}/${database}/${LOCAL_TABLE}`;
  const local = `${quoted(database)}.${quoted(LOCAL_TABLE)}`;
  return [
    `CREATE TABLE IF NOT EXISTS ${local}${onCluster(cluster)} (${structure()})
     ENGINE = ReplicatedMergeTree('${path}', '{replica}') ${layout} SETTINGS ${REPLICATED} ${comment}`,
    // All events of a project are on one shard, so a query of one project only uses that shard.
    `CREATE TABLE IF NOT EXISTS ${eventTable(location)}${onCluster(cluster)} (${columns()})
     ENGINE = Distributed('${cluster}', '${database}', '${LOCAL_TABLE}', sipHash64(project_id)) ${comment}`,
  ];
}

/** Adds a missing column. Existing rows get its default value. */
export function columnStatements(location: TableLocation, name: string, definition: string): string[] {
  const add = `ADD COLUMN IF NOT EXISTS ${quoted(name)} ${definition}`;
  const { cluster } = location;
  if (cluster === undefined) return [`ALTER TABLE ${eventTable(location)} ${add}`];
  return [
    `ALTER TABLE ${keptTable(location)} ${add}`,
    `ALTER TABLE ${eventTable(location)}${onCluster(cluster)} ${add}`,
  ];
}

/** Adds a missing index. New rows are indexed at once, older rows when their parts are merged. */
export function indexStatement(location: TableLocation, { name, definition }: TableIndex): string {
  return `ALTER TABLE ${keptTable(location)} ADD INDEX IF NOT EXISTS ${quoted(name)} ${definition}`;
}

/** Drops an index. The removal from disk continues in the background. */
export function withoutIndexStatement(location: TableLocation, name: string): string {
  return `ALTER TABLE ${keptTable(location)} DROP INDEX IF EXISTS ${quoted(name)} SETTINGS alter_sync = 0`;
}

function commentOf(version: number): string {
  return `operational events, version ${version}`;
}

/** @returns null when the table does not belong to this service */
export function versionIn(comment: string): number | null {
  const version = /^operational events, version (\d{1,9})$/.exec(comment)?.[1];
  return version === undefined ? null : Number(version);
}

function structure(): string {
  const indexes = EVENT_INDEXES.map(({ name, definition }) => `INDEX ${quoted(name)} ${definition}`);
  return [columns(), ...indexes].join(', ');
}

function columns(): string {
  return [...EVENT_COLUMNS, BLOCK_COLUMN].map(({ name, definition }) => `${quoted(name)} ${definition}`).join(', ');
}

function onCluster(cluster: string | undefined): string {
  return cluster === undefined ? '' : ` ON CLUSTER ${quoted(cluster)}`;
}
