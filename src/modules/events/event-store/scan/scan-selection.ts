import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import { parseExact } from '../../../../platform/json/index.js';
import {
  clickHouseFieldReads,
  clickHouseIsUnreadable,
  clickHousePropertySql,
  exactPropertyAt,
  type FilterSubject,
  propertiesSql,
} from '../../conditions/index.js';
import {
  clickHouseOwnSql,
  type EventCondition,
  type Field,
  fieldReader,
  ownField,
  type Value,
} from '../../eql-language/index.js';
import type { StoredEvent } from '../../fields/index.js';
import type { EventSize } from '../lists/event-locator.js';

/** The events that a term matches. */
export interface TermCondition {
  /** The event type. Null matches any type. */
  readonly category: string | null;
  readonly condition: EventCondition;
}

/**
 * The maximum size of an event whose properties are selected with its row, in bytes. The properties of a larger event
 * are read separately.
 */
const LARGE_EVENT_BYTES = 8_192;
/**
 * The same limit for the stored size, which is used when the original size is unknown. Stored properties are
 * compressed, so this limit is lower.
 */
const LARGE_STORED_BYTES = 1_000;

/**
 * A candidate: an event that a term may match. It has as few columns as possible, because a query may read a million
 * candidates. Each field that a condition reads adds a column.
 */
export interface ScanRow {
  readonly id: string;
  /** The timestamp in epoch milliseconds. */
  readonly ms: number;
  /**
   * One bit per term: whether the event may match, or does match when the condition is exact. {@link LARGE_BIT} marks a
   * large event.
   */
  readonly bits: number;
  /**
   * Only present when `ScanRepository.first` has read the candidate, or when ClickHouse has read it for a scan with
   * sizes.
   */
  readonly size?: EventSize;
  /** The whole event. Only present when `ScanRepository.first` has read the candidate and the event is small. */
  readonly record?: StoredEvent;
  /** The size of a large event's properties in bytes. Only rows of ClickHouse have it. */
  readonly large_bytes?: number;
  /**
   * The value of a field of the event or of a property, null when it is missing. With more than {@link MOST_VALUES}
   * properties, the column {@link PROPERTIES} holds all of them by name.
   */
  readonly [column: string]: unknown;
}

const LARGE_BIT = 1 << 24;
/** Up to this many properties have a column each. More properties come in one object. */
const MOST_VALUES = 30;
const PROPERTIES = 'properties';

/** The selection of candidates as SQL for the rows `e` of ClickHouse. */
interface ClickHouseSelection {
  readonly columns: string;
  /** The expression of the column `bits` alone. */
  readonly bits: string;
  /**
   * A condition on the event type without the alias `e`, which ClickHouse can check quickly. Null when the type does
   * not matter.
   */
  readonly first: string | null;
  readonly where: string;
  readonly unread: string;
}

/** The SQL that selects the events that any term may match, with the columns that the process needs to decide. */
export class ScanSelection {
  /** True when the SQL alone decides which events match, so that each candidate is a match. */
  readonly isExact: boolean;
  /** Maps the name of each needed field of the event to its column. */
  private readonly ownColumns: ReadonlyMap<string, string>;
  /** Maps the name of each property that a path equals or begins with to its column. */
  private readonly propertyColumns: ReadonlyMap<string, string>;
  private readonly isTogether: boolean;
  private readonly hasTime: boolean;

  /** @param keys the fields that events are joined by */
  constructor(
    readonly terms: readonly TermCondition[],
    keys: readonly Field[],
  ) {
    const query = terms.flatMap(({ condition }) => (condition.isExact ? [] : condition.fields));
    const fields = [...query, ...keys];
    this.isExact = terms.every(({ condition }) => condition.isExact);
    this.hasTime = fields.some(({ own }) => own === 'timestamp');
    this.ownColumns = columnsOf(
      'own',
      fields.flatMap(({ own }) => (own === null || own === 'timestamp' ? [] : [own])),
    );
    this.propertyColumns = columnsOf(
      'property',
      fields.flatMap(({ own, path }) => (own === null ? [path[0] ?? '', path.join('.')] : [])),
    );
    this.isTogether = this.propertyColumns.size > MOST_VALUES;
  }

  /** The columns of a {@link ScanRow} and the condition on the rows `e`. */
  sql(bind: Bind): { readonly columns: string; readonly where: string } {
    const categories = [...new Set(this.terms.map(({ category }) => category))];
    const tests = this.terms.map(({ category, condition }) => {
      const test = condition.sql(bind);
      return category === null || categories.length === 1 ? test : `(e.event = ${bind(category)}::text AND ${test})`;
    });
    // With one term, WHERE already selects only its events.
    const bits =
      tests.length === 1
        ? '1'
        : tests.map((test, term) => `CASE WHEN ${test} THEN ${1 << term} ELSE 0 END`).join(' + ');
    const isLarge = `coalesce(e.bytes > ${LARGE_EVENT_BYTES}, pg_column_size(e.properties) > ${LARGE_STORED_BYTES})`;
    const large = this.propertyColumns.size === 0 ? '' : ` + CASE WHEN ${isLarge} THEN ${LARGE_BIT} ELSE 0 END`;
    return {
      columns: [
        // Timestamps are stored to the millisecond. A double of seconds loses far less than that.
        `round(date_part('epoch', e."timestamp") * 1000) AS ms, e.id, ${bits}${large} AS bits`,
        ...[...this.ownColumns].map(([name, column]) => `${ownSql(name)} AS ${column}`),
        ...this.properties(bind).map(([sql, column]) => `CASE WHEN NOT ${isLarge} THEN ${sql} END AS ${column}`),
      ].join(', '),
      where: `${categoriesSql(categories, bind)}(${tests.join(' OR ')})`,
    };
  }

  /**
   * Returns the same selection as {@link sql}, for the rows `e` of ClickHouse. `unread` is true for a row that
   * ClickHouse cannot read and that may match. Such rows are selected, too.
   */
  clickHouseSql(bind: BindValue): ClickHouseSelection {
    const categories = [...new Set(this.terms.map(({ category }) => category))];
    const isOneCategory = categories.length === 1;
    const terms = this.terms.map(({ category, condition }) => {
      const test = condition.clickHouseSql(bind);
      const read = condition.clickHouseProperties(bind);
      const within = (fits: string): string =>
        category === null || isOneCategory ? fits : `(e.event = ${bind(category, 'String')} AND ${fits})`;
      // An unreadable row matters only to the terms that it may match.
      return {
        read,
        fits: within(test),
        mayMatter: within(read.length === 0 ? test : `(${test} OR ${clickHouseIsUnreadable(read)})`),
      };
    });
    const bits =
      terms.length === 1 ? '1' : terms.map(({ fits }, term) => `if(ifNull(${fits}, 0), ${1 << term}, 0)`).join(' + ');
    const isLarge = `(ifNull(e.bytes, toInt32(length(e.properties))) > ${LARGE_EVENT_BYTES})`;
    const large = this.propertyColumns.size === 0 ? '' : ` + if(${isLarge}, ${LARGE_BIT}, 0)`;
    const properties = this.clickHouseProperties(bind);
    const ofConditions = terms.flatMap(({ read }) => read);
    // Together, the properties are read as one text without parsing. So no row is unreadable because of them.
    const ofRow = this.isTogether ? [] : properties.map(([sql]) => sql);
    const ofOwn = [...this.ownColumns.keys()].flatMap(clickHouseFieldReads);
    const columns: readonly (readonly [sql: string, column: string])[] = [
      ['toUnixTimestamp64Milli(e.timestamp)', 'ms'],
      ['toString(e.id)', 'id'],
      [`${bits}${large}`, 'bits'],
      ...[...this.ownColumns].map(([name, column]) => [clickHouseOwnSql(name), column] as const),
      ...properties.map(([sql, column]) => [`if(${isLarge}, '', ${sql})`, column] as const),
      ...(properties.length === 0 ? [] : [[`if(${isLarge}, length(e.properties), 0)`, 'large_bytes'] as const]),
    ];
    return {
      columns: columns.map(([sql, column]) => `${sql} AS ${column}`).join(', '),
      bits,
      first: categories.includes(null) ? null : `event IN ${bind(categories, 'Array(String)')}`,
      where: `(${terms.map(({ mayMatter }) => mayMatter).join(' OR ')})`,
      unread: [ofConditions, ofRow, ofOwn]
        .map((read) => (read.length === 0 ? '0' : `toUInt8(${clickHouseIsUnreadable(read)})`))
        .join(' OR '),
    };
  }

  /** Parses the JSON texts of the properties in a row that a database has returned. */
  read(row: ScanRow): ScanRow {
    return this.propertyColumns.size === 0 ? row : { ...row, ...this.values(row) };
  }

  /** @param texts JSON texts by column; empty or null when the property is missing */
  values(texts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const values: Record<string, unknown> = {};
    for (const column of this.isTogether ? [PROPERTIES] : this.propertyColumns.values()) {
      const json = texts[column] as string | null | undefined;
      values[column] = json ? parseExact(json) : null;
    }
    return values;
  }

  /** Returns the same columns as {@link propertiesSql}, for the rows `e` of ClickHouse. */
  clickHousePropertiesSql(bind: BindValue): string {
    return this.clickHouseProperties(bind)
      .map(([sql, column]) => `${sql} AS ${column}`)
      .join(', ');
  }

  /** @param properties the columns of `clickHousePropertiesSql` for this event */
  withProperties(row: ScanRow, properties: Readonly<Record<string, unknown>>): ScanRow {
    return this.read({ ...row, ...properties, bits: row.bits & ~LARGE_BIT });
  }

  /** Returns the columns that are left out when a large event is selected. */
  propertiesSql(bind: Bind): string {
    return this.properties(bind)
      .map(([sql, column]) => `${sql} AS ${column}`)
      .join(', ');
  }

  mayFit({ bits }: ScanRow, term: number): boolean {
    return (bits & (1 << term)) !== 0;
  }

  isLarge({ bits }: ScanRow): boolean {
    return (bits & LARGE_BIT) !== 0;
  }

  /** Returns the form of a candidate that conditions are evaluated on. */
  subject(row: ScanRow): FilterSubject {
    const fields: Record<string, unknown> = this.hasTime ? { timestamp: timeOf(row) } : {};
    for (const [name, column] of this.ownColumns) fields[name] = row[column];
    return { fields, properties: this.named(row) };
  }

  /** Returns a function that reads a key field of a candidate. */
  reader(field: Field): (row: ScanRow) => Value {
    const { own, path } = field;
    if (own === 'timestamp') return timeOf;
    const column = own === null ? this.propertyColumns.get(path.join('.')) : this.ownColumns.get(own);
    if (column !== undefined && (own !== null || (path.length === 1 && !this.isTogether))) {
      return (row) => row[column] ?? null;
    }
    if (own === null) return (row) => exactPropertyAt(this.named(row), path) ?? null;
    const read = fieldReader(field);
    return (row) => read(this.subject(row));
  }

  private named(row: ScanRow): Readonly<Record<string, unknown>> {
    if (this.isTogether) return (row[PROPERTIES] ?? {}) as Readonly<Record<string, unknown>>;
    const properties: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [name, column] of this.propertyColumns) {
      const value = row[column];
      if (value !== null) properties[name] = value;
    }
    return properties;
  }

  private clickHouseProperties(bind: BindValue): readonly (readonly [sql: string, column: string])[] {
    if (this.isTogether) return [['e.properties', PROPERTIES]];
    return [...this.propertyColumns].map(([name, column]) => [clickHousePropertySql([name], bind), column]);
  }

  private properties(bind: Bind): readonly (readonly [sql: string, column: string])[] {
    const names = [...this.propertyColumns];
    if (this.isTogether) return [[`${propertiesSql([...this.propertyColumns.keys()], bind)}::text`, PROPERTIES]];
    return names.map(([name, column]) => [`(e.properties -> ${bind(name)}::text)::text`, column]);
  }
}

function columnsOf(kind: string, names: readonly string[]): ReadonlyMap<string, string> {
  return new Map([...new Set(names)].map((name, at) => [name, `${kind}_${at}`]));
}

function ownSql(name: string): string {
  const { type, sql } = ownField(name);
  return type === 'number' ? `(${sql})::float8` : sql;
}

/**
 * Returns the condition on the event type. It is separate from the conditions of the terms, so that PostgreSQL can use
 * an index on the type, and the order of that index when there is one type.
 */
function categoriesSql(categories: readonly (string | null)[], bind: Bind): string {
  if (categories.includes(null)) return '';
  const [first, ...others] = categories;
  return others.length === 0
    ? `e.event = ${bind(first)}::text AND `
    : `e.event = ANY (${bind(categories)}::text[]) AND `;
}

function timeOf({ ms }: ScanRow): string {
  return new Date(ms).toISOString();
}
