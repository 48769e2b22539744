import type { ValueType, ValueTypes } from '../../../platform/database/binary-values.js';
import { COMPUTED_FIELDS, type ComputedFieldName } from './computed-fields.js';

/**
 * The part that sets the value of a field: ingestion, the credential, the request, or the database when it stores the
 * event.
 */
type Origin = 'service' | 'credential' | 'request' | 'database';

/** How conditions name and read a field. */
interface ConditionField {
  /** Defaults to the name of the column. */
  readonly name?: string;
  readonly holds: 'text' | 'number';
  /** SQL that reads the field from a row of `events` with the alias `e`. Defaults to the column itself. */
  readonly sql?: string;
}

interface EventField {
  /** The type of the column in `events` and in the rows that a batch inserts. */
  readonly type: ValueType;
  readonly isNullable?: true;
  readonly from: Origin;
  /**
   * The member of the request that holds the field. All such members are part of the hash that compares requests for
   * idempotency.
   */
  readonly sent?: string;
  /**
   * Set when the field is also stored as a property, under its name in the request. It then replaces a sent property of
   * that name. The number is the position of the property; answers to ingestion list the properties in this order. Such
   * fields are text, and their columns are filled from the masked properties.
   */
  readonly property?: number;
  /** Whether reads and exports return the field. */
  readonly isRead: boolean;
  /** Null when conditions cannot use the field. */
  readonly condition: ConditionField | null;
}

const TEXT = { holds: 'text' } as const;
/** Optional text from the sender, which conditions can use. */
const SENT_TEXT = { type: 'text', isNullable: true, from: 'request', isRead: true, condition: TEXT } as const;

/**
 * The fields of an event. Each is a column of `events` with the same name. This table decides which fields are read
 * from requests, compared for idempotency, stored, read, exported and available to conditions, which list them in this
 * order. A new field also needs a member in the requests and answers (`event.dto.ts`) and a column (`addEventField`).
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
  /** Conditions read single properties as `properties.<path>`. */
  properties: { type: 'jsonb', from: 'service', isRead: true, condition: null },
  timestamp: { type: 'timestamptz', from: 'request', sent: 'timestamp', isRead: true, condition: null },
  created_at: { type: 'timestamptz', from: 'database', isRead: true, condition: null },
  /** The size of the properties as reads return them. */
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
/** The name of a field and of its column. */
export type EventColumn = keyof Fields;

/** The columns whose fields match `Kind`. */
type ColumnWhere<Kind> = { [Name in EventColumn]: Fields[Name] extends Kind ? Name : never }[EventColumn];
type Value<Field extends EventField> =
  ValueTypes[Field['type']] | (Field extends { readonly isNullable: true } ? null : never);

/** One row of `events`; the properties are JSON text. */
export type EventRow = { readonly [Name in EventColumn]: Value<Fields[Name]> };

/** Columns that a batch inserts. The database sets the others. */
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
/** The name of a field in conditions. */
export type ConditionFieldName =
  { [Column in ConditionColumn]: ConditionName<Column> }[ConditionColumn] | ComputedFieldName;

/**
 * An event as it is stored, under the names of its columns, without the fields of its sender. The properties are JSON
 * text: as objects they may take twenty times the memory while the event waits to be stored.
 */
export type NormalizedEvent = Pick<EventRow, Exclude<BroughtColumn, CredentialColumn>>;

/** An event as reads and exports select it from the database. */
export type StoredEvent = Pick<EventRow, ReadColumn>;

const COLUMNS = Object.keys(FIELD_TABLE) as EventColumn[];

/** The types of the columns that a batch inserts, by name. */
export const BROUGHT_COLUMNS = typesOf(
  COLUMNS.filter((column): column is BroughtColumn => FIELD_TABLE[column].from !== 'database'),
);

/** The columns of the fields that a sender may set, by their names in a request. */
export const SENT_FIELDS = Object.fromEntries(
  COLUMNS.filter((column): column is SentColumn => 'sent' in FIELD_TABLE[column]).map((column) => [
    FIELD_TABLE[column].sent,
    column,
  ]),
) as { readonly [Column in SentColumn as Fields[Column]['sent']]: Column };

/** Fields that are also properties, in the order in which they are added to the sent properties. */
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

/**
 * The read columns except `id` as they are stored, for a SELECT from `events e`. Such a SELECT does not decompress
 * them.
 */
export const KEPT_COLUMNS = BESIDE_ID.map((column) => `e."${column}"`).join(', ');

/**
 * The read columns except `id`, for a SELECT from a relation with the {@link KEPT_COLUMNS}. They are null where the
 * condition does not hold.
 */
export function readColumnsWhere(condition: string): string {
  return BESIDE_ID.map((column) => `CASE WHEN ${condition} THEN ${readSql(column)} END AS "${column}"`).join(', ');
}

const ASKED = [
  ...COLUMNS.filter((column): column is ConditionColumn => FIELD_TABLE[column].condition !== null).map((column) => {
    const { name = column, holds, sql = `e.${column}` }: ConditionField = FIELD_TABLE[column].condition;
    return { name: name as ConditionFieldName, holds, sql };
  }),
  ...(Object.keys(COMPUTED_FIELDS) as ComputedFieldName[]).map((name) => ({ name, ...COMPUTED_FIELDS[name] })),
];

/** The fields that conditions may use in addition to properties, with the type of their values. */
export const CONDITION_FIELDS = Object.fromEntries(ASKED.map(({ name, holds }) => [name, holds])) as {
  readonly [Column in ConditionColumn as ConditionName<Column>]: Fields[Column]['condition']['holds'];
} & { readonly [Name in ComputedFieldName]: (typeof COMPUTED_FIELDS)[Name]['holds'] };

/** SQL that reads each field of a condition from a row of `events` with the alias `e`. */
export const CONDITION_SQL = Object.fromEntries(ASKED.map(({ name, sql }) => [name, sql])) as Readonly<
  Record<ConditionFieldName, string>
>;

function typesOf<Column extends EventColumn>(columns: readonly Column[]) {
  return Object.fromEntries(columns.map((column) => [column, FIELD_TABLE[column].type])) as {
    readonly [Name in Column]: Fields[Name]['type'];
  };
}
