import { BLOCK_COLUMN, EVENT_COLUMNS } from './columns.js';

/** Of all that these statements say beside columns that are added, and indexes; told by the comment of the table. */
export const TABLES_VERSION = 1;

export interface TablePlace {
  readonly database: string;
  /** Undefined: one server. */
  readonly cluster: string | undefined;
}

/** What is asked and inserted into. */
export const EVENT_TABLE = 'events';
/** Where the rows lie on each server of a cluster. */
const LOCAL_TABLE = 'events_local';
/** What may have the rows themselves. */
export const KEPT_TABLES: readonly string[] = [EVENT_TABLE, LOCAL_TABLE];

/**
 * An event belongs to the month of its timestamp, where that is near its arrival, else to the one partition 0: senders choose
 * timestamps, and each month that a block has events of is a part of its own. So a block of events that arrived
 * together makes 42 at most.
 */
const NEAR_PAST_DAYS = 1_100;
const NEAR_FUTURE_DAYS = 62;
/** The partition of events that belong to no month. */
export const NO_MONTH = '0';

const PARTITION = `if(timestamp >= created_at - toIntervalDay(${NEAR_PAST_DAYS})
    AND timestamp <= created_at + toIntervalDay(${NEAR_FUTURE_DAYS}), toYYYYMM(timestamp), ${NO_MONTH})`;

/** Ids in the order of their bytes, as PostgreSQL has them: of itself ClickHouse compares their second halves first. */
const ORDER = 'project_id, timestamp, UUIDToNum(id)';

/** All that a search in logs looks through; whoever looks through it as it stands here has an index for it. */
export const LOG_TEXT = `lowerUTF8(concat(log_endpoint, ' ', log_method, ' ', event))`;

/** An index by which parts of the table are passed by. */
export interface TableIndex {
  readonly name: string;
  readonly definition: string;
}

/**
 * What the filters of logs ask for, in blocks of 8,192 rows, and pieces of three letters of what is searched for. One that is defined
 * otherwise has another name: by their names the indexes of tables that are there are told from these.
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

/** Of earlier versions: nobody asks them. All others that are there are of later versions, or of the operator. */
export const FORMER_INDEXES: readonly string[] = ['ix_endpoint_text', 'ix_message_text', 'ix_properties_text'];

/** Those of {@link EVENT_INDEXES} that cost the most to make. */
export const TEXT_INDEXES: readonly string[] = ['ix_log_text'];

/** Of the last blocks, so that one that is sent again is known; there is one at a time, and none is passed by. */
const KEPT_TOKENS = 10_000;
const TEN_YEARS_SECONDS = 315_360_000;

/** What was acknowledged is on the disk. */
const DURABLE = 'fsync_after_insert = 1, fsync_part_directory = 1';
const ONE_SERVER = `non_replicated_deduplication_window = ${KEPT_TOKENS}, ${DURABLE}`;
const REPLICATED = `replicated_deduplication_window = ${KEPT_TOKENS}, replicated_deduplication_window_seconds = ${TEN_YEARS_SECONDS}, ${DURABLE}`;

function quoted(name: string): string {
  return `\`${name}\``;
}

/** The table by which events are read and inserted. */
export function eventTable({ database }: TablePlace): string {
  return `${quoted(database)}.${quoted(EVENT_TABLE)}`;
}

/** Where rows are removed, columns and indexes added, with what has every server of a cluster do it. */
export function keptTable(place: TablePlace): string {
  if (place.cluster === undefined) return eventTable(place);
  return `${quoted(place.database)}.${quoted(keptTableName(place))} ON CLUSTER ${quoted(place.cluster)}`;
}

/** Of the table that has the rows. */
export function keptTableName({ cluster }: Pick<TablePlace, 'cluster'>): string {
  return cluster === undefined ? EVENT_TABLE : LOCAL_TABLE;
}

export function databaseStatement({ database, cluster }: TablePlace): string {
  return `CREATE DATABASE IF NOT EXISTS ${quoted(database)}${onCluster(cluster)}`;
}

/** In their order; each does nothing where its table is there. */
export function tableStatements(place: TablePlace): string[] {
  const { database, cluster } = place;
  const comment = `COMMENT '${commentOf(TABLES_VERSION)}'`;
  const layout = `PARTITION BY ${PARTITION} ORDER BY (${ORDER})`;
  if (cluster === undefined) {
    return [
      `CREATE TABLE IF NOT EXISTS ${eventTable(place)} (${structure()})
       ENGINE = MergeTree ${layout} SETTINGS ${ONE_SERVER} ${comment}`,
    ];
  }
  // Each shard has its own path in the keeper; the servers' macros tell which of them is which.
  const path = `/clickhouse/tables/{shard}/${database}/${LOCAL_TABLE}`;
  const local = `${quoted(database)}.${quoted(LOCAL_TABLE)}`;
  return [
    `CREATE TABLE IF NOT EXISTS ${local}${onCluster(cluster)} (${structure()})
     ENGINE = ReplicatedMergeTree('${path}', '{replica}') ${layout} SETTINGS ${REPLICATED} ${comment}`,
    // A project is on one shard, so what is asked of one project is asked there.
    `CREATE TABLE IF NOT EXISTS ${eventTable(place)}${onCluster(cluster)} (${columns()})
     ENGINE = Distributed('${cluster}', '${database}', '${LOCAL_TABLE}', sipHash64(project_id)) ${comment}`,
  ];
}

/** Adds a column that is not there yet; rows that are there have what an empty one holds. */
export function columnStatements(place: TablePlace, name: string, definition: string): string[] {
  const add = `ADD COLUMN IF NOT EXISTS ${quoted(name)} ${definition}`;
  const { cluster } = place;
  if (cluster === undefined) return [`ALTER TABLE ${eventTable(place)} ${add}`];
  return [`ALTER TABLE ${keptTable(place)} ${add}`, `ALTER TABLE ${eventTable(place)}${onCluster(cluster)} ${add}`];
}

/** Adds an index that is not there yet: new rows have it at once, older ones once their parts are merged. */
export function indexStatement(place: TablePlace, { name, definition }: TableIndex): string {
  return `ALTER TABLE ${keptTable(place)} ADD INDEX IF NOT EXISTS ${quoted(name)} ${definition}`;
}

/** Forgets an index, and has it removed from the disk, which nobody waits for. */
export function withoutIndexStatement(place: TablePlace, name: string): string {
  return `ALTER TABLE ${keptTable(place)} DROP INDEX IF EXISTS ${quoted(name)} SETTINGS alter_sync = 0`;
}

function commentOf(version: number): string {
  return `operational events, version ${version}`;
}

/** Null: the table is not one of ours. */
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
