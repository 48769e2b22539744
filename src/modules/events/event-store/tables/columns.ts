import type { ValueType } from '../../../../platform/database/binary-values.js';
import { type EventColumn, FIELD_TABLE } from '../../fields/index.js';

/** A column of the event table in ClickHouse, and how PostgreSQL writes its value for it. */
export interface TableColumn {
  readonly name: string;
  /** With its codec. */
  readonly definition: string;
  /** From a row of `events` called `e`, as text that ClickHouse reads. */
  readonly sql: string;
}

const TYPES: Readonly<Record<Exclude<ValueType, 'bytea'>, string>> = {
  uuid: 'UUID',
  text: 'String',
  // The text that PostgreSQL gives, to the byte: answers are made of it.
  jsonb: 'String',
  int4: 'Int32',
  bool: 'Bool',
  timestamptz: `DateTime64(3, 'UTC')`,
};

/** Columns with few values of many rows each: kept as numbers in a dictionary. */
const OF_FEW_VALUES: ReadonlySet<EventColumn> = new Set<EventColumn>([
  'event',
  'source',
  'severity',
  'status',
  'environment',
  'log_method',
]);

/** Where the next value is mostly near the one before. */
const STEADY: ReadonlySet<EventColumn> = new Set<EventColumn>(['timestamp', 'created_at']);

/** Null in events that were stored before there was such a field. */
const LATER_FIELDS: ReadonlySet<EventColumn> = new Set<EventColumn>(['bytes']);

const COLUMNS = Object.keys(FIELD_TABLE) as EventColumn[];

/**
 * Every field of an event, from the table of fields: one that is added there is a column here. A new column is added to tables
 * that are there, and codecs are theirs for good; anything else that changes here is another version of the tables.
 */
export const EVENT_COLUMNS: readonly TableColumn[] = COLUMNS.map((name) => {
  const field: { readonly type: Exclude<ValueType, 'bytea'>; readonly isNullable?: true } = FIELD_TABLE[name];
  return { name, definition: `${typeOf(name, field)} ${codecOf(name)}`, sql: sqlOf(name, field.type) };
});

/** The block that has brought the row: blocks are numbered from 1 in the order in which they are copied. */
export const BLOCK_COLUMN = { name: 'block', definition: 'UInt64 CODEC(Delta(8), ZSTD(1))' } as const;

function typeOf(name: EventColumn, { type, isNullable }: { type: Exclude<ValueType, 'bytea'>; isNullable?: true }) {
  const bare = isNullable === true || LATER_FIELDS.has(name) ? `Nullable(${TYPES[type]})` : TYPES[type];
  return OF_FEW_VALUES.has(name) ? `LowCardinality(${bare})` : bare;
}

function codecOf(name: EventColumn): string {
  // Read in half of the time that ZSTD(1) takes, of texts and of what is told apart by few bits, for half as many bytes again.
  return STEADY.has(name) ? 'CODEC(T64, LZ4)' : 'CODEC(LZ4)';
}

function sqlOf(name: EventColumn, type: ValueType): string {
  // Those of UTC, without a zone and zeros at their end, as PostgreSQL writes them of itself: to_char takes three times as long.
  if (type === 'timestamptz') return `e."${name}" AT TIME ZONE 'UTC'`;
  return type === 'jsonb' ? `e."${name}"::text` : `e."${name}"`;
}
