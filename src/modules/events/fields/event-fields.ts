import type { ValueType, ValueTypes } from '../../../platform/database/binary-values.js';

/** Who says what a field holds: ingestion itself, the credential, the request, or the database as it stores the event. */
type Origin = 'service' | 'credential' | 'request' | 'database';

/** How conditions ask for a field. */
interface ConditionField {
  /** Left out: that of the column. */
  readonly name?: string;
  readonly holds: 'text' | 'number';
  /** Reads it from a row of `events` called `e`; left out: the column as it is. */
  readonly sql?: string;
}

interface EventField {
  /** Of its column in `events` and in the rows that batches bring. */
  readonly type: ValueType;
  readonly isNullable?: true;
  readonly from: Origin;
  /** The member of the request it comes from: whatever is sent tells requests apart. */
  readonly sent?: string;
  /**
   * Set for what is a property, too, under the name it is sent by, and takes the place of one of that name: its place among
   * those, which answers to ingestion keep. Text, read from the masked properties.
   */
  readonly property?: number;
  /** Whether reads and exports give it. */
  readonly isRead: boolean;
  /** Null: conditions cannot ask for it. */
  readonly condition: ConditionField | null;
}

const TEXT = { holds: 'text' } as const;
/** What a sender may say in words, and conditions ask for. */
const SENT_TEXT = { type: 'text', isNullable: true, from: 'request', isRead: true, condition: TEXT } as const;

/**
 * The fields of an event, each a column of `events` of the same name. What is taken from requests, tells them apart, is
 * stored, read, exported and asked for by conditions follows from this table; conditions name the fields in its order.
 * Beside it, a field has its member in the requests and answers (`event.dto.ts`), and its column (`addEventField`).
 */
export const FIELD_TABLE = {
  id: { type: 'uuid', from: 'service', isRead: true, condition: null },
  project_id: { type: 'uuid', from: 'credential', isRead: true, condition: null },
  api_key_id: { type: 'uuid', isNullable: true, from: 'credential', isRead: true, condition: null },
  event: { type: 'text', from: 'request', sent: 'event_type', isRead: true, condition: TEXT },
  source: { type: 'text', from: 'request', sent: 'source', property: 1, isRead: true, condition: TEXT },
  source_id: {
    type: 'uuid',
    isNullable: true,
    from: 'credential',
    isRead: true,
    condition: { holds: 'text', sql: 'e.source_id::text' },
  },
  severity: { ...SENT_TEXT, sent: 'severity', property: 2 },
  status: { ...SENT_TEXT, sent: 'status', property: 4 },
  environment: { ...SENT_TEXT, sent: 'environment', property: 5 },
  message: { ...SENT_TEXT, sent: 'message', property: 3 },
  external_event_id: { ...SENT_TEXT, sent: 'event_id', property: 6 },
  /** Asked for one by one, as `properties.<path>`. */
  properties: { type: 'jsonb', from: 'service', isRead: true, condition: null },
  timestamp: { type: 'timestamptz', from: 'request', sent: 'timestamp', isRead: true, condition: null },
  created_at: { type: 'timestamptz', from: 'database', isRead: true, condition: null },
  /** Of the properties as reads give them. */
  bytes: { type: 'int4', from: 'service', isRead: false, condition: null },
  log_method: { type: 'text', from: 'service', isRead: false, condition: { name: 'log.method', holds: 'text' } },
  log_endpoint: { type: 'text', from: 'service', isRead: false, condition: { name: 'log.endpoint', holds: 'text' } },
  log_status: { type: 'int4', from: 'service', isRead: false, condition: { name: 'log.status', holds: 'number' } },
  log_latency_ms: {
    type: 'int4',
    from: 'service',
    isRead: false,
    condition: {
      name: 'log.latency_ms',
      holds: 'number',
      sql: 'CASE WHEN e.log_has_latency THEN e.log_latency_ms END',
    },
  },
  log_has_latency: { type: 'bool', from: 'service', isRead: false, condition: null },
} as const satisfies Readonly<Record<string, EventField>>;

type Fields = typeof FIELD_TABLE;
/** The name of a field, which is that of its column. */
export type EventColumn = keyof Fields;

/** The fields of a kind. */
type ColumnWhere<Kind> = { [Name in EventColumn]: Fields[Name] extends Kind ? Name : never }[EventColumn];
type Value<Field extends EventField> =
  ValueTypes[Field['type']] | (Field extends { readonly isNullable: true } ? null : never);

/** One row of `events`; the properties are JSON text. */
export type EventRow = { readonly [Name in EventColumn]: Value<Fields[Name]> };

/** Fields that come with a batch; the others are the database's. */
export type BroughtColumn = Exclude<EventColumn, ColumnWhere<{ readonly from: 'database' }>>;
export type CredentialColumn = ColumnWhere<{ readonly from: 'credential' }>;
export type ReadColumn = ColumnWhere<{ readonly isRead: true }>;
export type SentColumn = ColumnWhere<{ readonly sent: string }>;
export type PropertyColumn = ColumnWhere<{ readonly property: number }>;
export type PropertyName = Fields[PropertyColumn]['sent'];
type ConditionColumn = ColumnWhere<{ readonly condition: ConditionField }>;
type ConditionName<Column extends ConditionColumn> = Fields[Column]['condition'] extends {
  readonly name: infer Name extends string;
}
  ? Name
  : Column;
/** What conditions call a field. */
export type ConditionFieldName = { [Column in ConditionColumn]: ConditionName<Column> }[ConditionColumn];

/**
 * An event as it is stored, under the names of its columns, whoever sends it apart. The properties are JSON text: as
 * objects they may take twenty times as much while the event waits to be stored.
 */
export type NormalizedEvent = Pick<EventRow, Exclude<BroughtColumn, CredentialColumn>>;

/** An event as reads and exports take it from the database. */
export type StoredEvent = Pick<EventRow, ReadColumn>;

const COLUMNS = Object.keys(FIELD_TABLE) as EventColumn[];

/** The columns that a batch brings, by name. */
export const BROUGHT_COLUMNS = typesOf(
  COLUMNS.filter((column): column is BroughtColumn => FIELD_TABLE[column].from !== 'database'),
);

/** Fields that the sender may give, by their names in a request. */
export const SENT_FIELDS = Object.fromEntries(
  COLUMNS.filter((column): column is SentColumn => 'sent' in FIELD_TABLE[column]).map((column) => [
    FIELD_TABLE[column].sent,
    column,
  ]),
) as { readonly [Column in SentColumn as Fields[Column]['sent']]: Column };

/** Fields that are properties, too, in the order in which they are laid over the others. */
export const PROPERTY_FIELDS: readonly { readonly column: PropertyColumn; readonly name: PropertyName }[] =
  COLUMNS.filter((column): column is PropertyColumn => 'property' in FIELD_TABLE[column])
    .sort((one, other) => FIELD_TABLE[one].property - FIELD_TABLE[other].property)
    .map((column) => ({ column, name: FIELD_TABLE[column].sent }));

const READ = COLUMNS.filter((column): column is ReadColumn => FIELD_TABLE[column].isRead);
const readSql = (column: ReadColumn): string =>
  FIELD_TABLE[column].type === 'jsonb' ? `${column}::text` : `"${column}"`;

/** The columns of a {@link StoredEvent}, for a SELECT from `events`. */
export const READ_COLUMNS = READ.map((column) => `${readSql(column)} AS "${column}"`).join(', ');

const BESIDE_ID = READ.filter((column) => column !== 'id');

/** Those beside its id as they are stored, so that nothing is unpacked yet, for a SELECT from `events e`. */
export const KEPT_COLUMNS = BESIDE_ID.map((column) => `e."${column}"`).join(', ');

/** Those beside its id, for a SELECT from a relation with the {@link KEPT_COLUMNS}; null where the condition does not hold. */
export function readColumnsWhere(condition: string): string {
  return BESIDE_ID.map((column) => `CASE WHEN ${condition} THEN ${readSql(column)} END AS "${column}"`).join(', ');
}

const ASKED = COLUMNS.filter((column): column is ConditionColumn => FIELD_TABLE[column].condition !== null).map(
  (column) => {
    const { name = column, holds, sql = `e.${column}` }: ConditionField = FIELD_TABLE[column].condition;
    return { name: name as ConditionFieldName, holds, sql };
  },
);

/** What conditions may ask of an event beside its properties. */
export const CONDITION_FIELDS = Object.fromEntries(ASKED.map(({ name, holds }) => [name, holds])) as {
  readonly [Column in ConditionColumn as ConditionName<Column>]: Fields[Column]['condition']['holds'];
};

/** How conditions read it from a row of `events` called `e`. */
export const CONDITION_SQL = Object.fromEntries(ASKED.map(({ name, sql }) => [name, sql])) as Readonly<
  Record<ConditionFieldName, string>
>;

function typesOf<Column extends EventColumn>(columns: readonly Column[]) {
  return Object.fromEntries(columns.map((column) => [column, FIELD_TABLE[column].type])) as {
    readonly [Name in Column]: Fields[Name]['type'];
  };
}
