import type { ValueType } from '../../../../platform/database/binary-values.js';
import { type EventColumn, FIELD_TABLE } from '../../fields/index.js';

/** A column of the event table in ClickHouse, with the SQL that reads its value from PostgreSQL. */
export interface TableColumn {
  readonly name: string;
  /** The type and the codec. */
  readonly definition: string;
  /** Returns the value as text in the format of ClickHouse, from a row of `events` with the alias `e`. */
  readonly sql: string;
}

const TYPES: Readonly<Record<Exclude<ValueType, 'bytea'>, string>> = {
  uuid: 'UUID',
  text: 'String',
  // The exact text of PostgreSQL is kept, because answers are built from it.
  jsonb: 'String',
  int4: 'Int32',
  bool: 'Bool',
  timestamptz: `DateTime64(3, 'UTC')`,
};

/** Columns with few distinct values are stored with a dictionary. */
const OF_FEW_VALUES: ReadonlySet<EventColumn> = new Set<EventColumn>([
  'event',
  'source',
  'severity',
  'status',
  'environment',
  'log_method',
]);

/** Columns whose values mostly differ little from the previous row. */
const STEADY: ReadonlySet<EventColumn> = new Set<EventColumn>(['timestamp', 'created_at']);

/** Fields that were added later. They are null in older events. */
const LATER_FIELDS: ReadonlySet<EventColumn> = new Set<EventColumn>(['bytes']);

const COLUMNS = Object.keys(FIELD_TABLE) as EventColumn[];

/**
 * Has a column for every field of an event. A new field is added as a column to existing tables. Codecs of existing
 * columns never change. Any other change needs a new version of the tables.
 */
export const EVENT_COLUMNS: readonly TableColumn[] = COLUMNS.map((name) => {
  const field: { readonly type: Exclude<ValueType, 'bytea'>; readonly isNullable?: true } = FIELD_TABLE[name];
  return { name, definition: `${typeOf(name, field)} ${codecOf(name)}`, sql: sqlOf(name, field.type) };
});

/** The number of the block that contained the row. Blocks are numbered from 1 in the order of replication. */
export const BLOCK_COLUMN = { name: 'block', definition: 'UInt64 CODEC(Delta(8), ZSTD(1))' } as const;

function typeOf(name: EventColumn, { type, isNullable }: { type: Exclude<ValueType, 'bytea'>; isNullable?: true }) {
  const bare = isNullable === true || LATER_FIELDS.has(name) ? `Nullable(${TYPES[type]})` : TYPES[type];
  return OF_FEW_VALUES.has(name) ? `LowCardinality(${bare})` : bare;
}

function codecOf(name: EventColumn): string {
  // LZ4 is read in half the time of ZSTD(1), and needs 1.5 times as many bytes.
  return STEADY.has(name) ? 'CODEC(T64, LZ4)' : 'CODEC(LZ4)';
}

function sqlOf(name: EventColumn, type: ValueType): string {
  // PostgreSQL writes UTC timestamps without a zone and without trailing zeros. to_char takes three times as long.
  if (type === 'timestamptz') return `e."${name}" AT TIME ZONE 'UTC'`;
  return type === 'jsonb' ? `e."${name}"::text` : `e."${name}"`;
}
