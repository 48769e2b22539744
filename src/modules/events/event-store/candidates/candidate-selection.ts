import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import { parseExact } from '../../../../platform/json/index.js';
import {
  copiedIsUnreadable,
  copiedPropertySql,
  exactPropertyAt,
  type FilterSubject,
  propertiesSql,
} from '../../conditions/index.js';
import {
  copiedOwnSql,
  type EventCondition,
  type Field,
  fieldReader,
  ownField,
  type Value,
} from '../../eql-language/index.js';
import type { StoredEvent } from '../../fields/index.js';
import type { EventSize } from '../places/event-places.js';

/** Which events a term is about. */
export interface TermCondition {
  /** The event type; null: any. */
  readonly category: string | null;
  readonly condition: EventCondition;
}

/** Properties of an event that take more are not selected with it, but read for it alone. In bytes. */
const LARGE_EVENT_BYTES = 8_192;
/** As they are stored, where the size was not kept: compressed they take a part of it. */
const LARGE_STORED_BYTES = 1_000;

/** As few columns as can be: there may be a million of them. Beside these, one for each field that is looked at. */
export interface CandidateRow {
  readonly id: string;
  /** Of its timestamp. */
  readonly ms: number;
  /** By term, whether the event may fit, and for an exact condition whether it does; and whether it is large. */
  readonly bits: number;
  /** Of the first ones alone, of which there are few. */
  readonly size?: EventSize;
  /** The event itself, where that is small. */
  readonly record?: StoredEvent;
  /** What the properties of a large one take, where ClickHouse has it. */
  readonly large_bytes?: number;
  /** An own field or a property, null where it is missing; {@link PROPERTIES}: all that are looked at by their names. */
  readonly [column: string]: unknown;
}

const LARGE_BIT = 1 << 24;
/** Properties that have a column each; more come as an object. */
const MOST_VALUES = 30;
const PROPERTIES = 'properties';

/** Of the rows `e` of ClickHouse. */
interface CopiedSelection {
  readonly columns: string;
  /** That of {@link columns}, by itself. */
  readonly bits: string;
  /** Of a column that is quickly read, whose name it begins with, without `e`; null: any event. */
  readonly first: string | null;
  readonly where: string;
  readonly unread: string;
}

/** What is asked of the database about events: which of them any term may be about, and what decides about them here. */
export class CandidateSelection {
  /** Whether the database alone says which events fit, so that each candidate does. */
  readonly isExact: boolean;
  /** Columns by the own fields that they hold. */
  private readonly ownColumns: ReadonlyMap<string, string>;
  /** Columns by the properties that paths may be or begin in. */
  private readonly propertyColumns: ReadonlyMap<string, string>;
  private readonly isTogether: boolean;
  private readonly hasTime: boolean;

  /** @param keys that events are joined by */
  constructor(
    readonly terms: readonly TermCondition[],
    keys: readonly Field[],
  ) {
    const asked = terms.flatMap(({ condition }) => (condition.isExact ? [] : condition.fields));
    const fields = [...asked, ...keys];
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

  /** The columns of a {@link CandidateRow} and the condition on the rows `e`. */
  sql(bind: Bind): { readonly columns: string; readonly where: string } {
    const categories = [...new Set(this.terms.map(({ category }) => category))];
    const tests = this.terms.map(({ category, condition }) => {
      const test = condition.sql(bind);
      return category === null || categories.length === 1 ? test : `(e.event = ${bind(category)}::text AND ${test})`;
    });
    // What stands in WHERE is true of all that come.
    const bits =
      tests.length === 1
        ? '1'
        : tests.map((test, term) => `CASE WHEN ${test} THEN ${1 << term} ELSE 0 END`).join(' + ');
    const isLarge = `coalesce(e.bytes > ${LARGE_EVENT_BYTES}, pg_column_size(e.properties) > ${LARGE_STORED_BYTES})`;
    const large = this.propertyColumns.size === 0 ? '' : ` + CASE WHEN ${isLarge} THEN ${LARGE_BIT} ELSE 0 END`;
    return {
      columns: [
        // Stored to the millisecond: what a double loses of seconds is far less.
        `round(date_part('epoch', e."timestamp") * 1000) AS ms, e.id, ${bits}${large} AS bits`,
        ...[...this.ownColumns].map(([name, column]) => `${ownSql(name)} AS ${column}`),
        ...this.properties(bind).map(([sql, column]) => `CASE WHEN NOT ${isLarge} THEN ${sql} END AS ${column}`),
      ].join(', '),
      where: `${categoriesSql(categories, bind)}(${tests.join(' OR ')})`,
    };
  }

  /**
   * As {@link sql}, of the rows `e` of ClickHouse, where `unread` is whether a row cannot be read and might matter: such rows
   * are taken along.
   */
  copiedSql(bind: BindValue): CopiedSelection {
    const categories = [...new Set(this.terms.map(({ category }) => category))];
    const isOneCategory = categories.length === 1;
    const terms = this.terms.map(({ category, condition }) => {
      const test = condition.copiedSql(bind);
      const read = condition.copiedProperties(bind);
      const within = (fits: string): string =>
        category === null || isOneCategory ? fits : `(e.event = ${bind(category, 'String')} AND ${fits})`;
      // What cannot be read matters to the terms alone that it may be about.
      return {
        read,
        fits: within(test),
        mayMatter: within(read.length === 0 ? test : `(${test} OR ${copiedIsUnreadable(read)})`),
      };
    });
    const bits =
      terms.length === 1 ? '1' : terms.map(({ fits }, term) => `if(ifNull(${fits}, 0), ${1 << term}, 0)`).join(' + ');
    const isLarge = `(ifNull(e.bytes, toInt32(length(e.properties))) > ${LARGE_EVENT_BYTES})`;
    const large = this.propertyColumns.size === 0 ? '' : ` + if(${isLarge}, ${LARGE_BIT}, 0)`;
    const properties = this.copiedProperties(bind);
    const ofConditions = terms.flatMap(({ read }) => read);
    // Whole properties are read in memory.
    const ofRow = this.isTogether ? [] : properties.map(([sql]) => sql);
    const columns: readonly (readonly [sql: string, column: string])[] = [
      ['toUnixTimestamp64Milli(e.timestamp)', 'ms'],
      ['toString(e.id)', 'id'],
      [`${bits}${large}`, 'bits'],
      ...[...this.ownColumns].map(([name, column]) => [copiedOwnSql(name), column] as const),
      ...properties.map(([sql, column]) => [`if(${isLarge}, '', ${sql})`, column] as const),
      ...(properties.length === 0 ? [] : [[`if(${isLarge}, length(e.properties), 0)`, 'large_bytes'] as const]),
    ];
    return {
      columns: columns.map(([sql, column]) => `${sql} AS ${column}`).join(', '),
      bits,
      first: categories.includes(null) ? null : `event IN ${bind(categories, 'Array(String)')}`,
      where: `(${terms.map(({ mayMatter }) => mayMatter).join(' OR ')})`,
      unread: [ofConditions, ofRow]
        .map((read) => (read.length === 0 ? '0' : `toUInt8(${copiedIsUnreadable(read)})`))
        .join(' OR '),
    };
  }

  /** A row with the values of properties, of one that a database has given, where they are texts of JSON. */
  read(row: CandidateRow): CandidateRow {
    return this.propertyColumns.size === 0 ? row : { ...row, ...this.values(row) };
  }

  /** @param texts of JSON by columns; empty or null where there is none */
  values(texts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const values: Record<string, unknown> = {};
    for (const column of this.isTogether ? [PROPERTIES] : this.propertyColumns.values()) {
      const json = texts[column] as string | null | undefined;
      values[column] = json ? parseExact(json) : null;
    }
    return values;
  }

  /** As {@link propertiesSql}, of the rows `e` of ClickHouse. */
  copiedPropertiesSql(bind: BindValue): string {
    return this.copiedProperties(bind)
      .map(([sql, column]) => `${sql} AS ${column}`)
      .join(', ');
  }

  /** @param properties those of a large event that ClickHouse has, as `copiedPropertiesSql` names them */
  withProperties(row: CandidateRow, properties: Readonly<Record<string, unknown>>): CandidateRow {
    return this.read({ ...row, ...properties, bits: row.bits & ~LARGE_BIT });
  }

  /** The columns that a large event is selected without. */
  propertiesSql(bind: Bind): string {
    return this.properties(bind)
      .map(([sql, column]) => `${sql} AS ${column}`)
      .join(', ');
  }

  /** Whether the event may fit a term. */
  mayFit({ bits }: CandidateRow, term: number): boolean {
    return (bits & (1 << term)) !== 0;
  }

  isLarge({ bits }: CandidateRow): boolean {
    return (bits & LARGE_BIT) !== 0;
  }

  /** What conditions are asked about. */
  subject(row: CandidateRow): FilterSubject {
    const fields: Record<string, unknown> = this.hasTime ? { timestamp: timeOf(row) } : {};
    for (const [name, column] of this.ownColumns) fields[name] = row[column];
    return { fields, properties: this.named(row) };
  }

  /** Reads a field that is a key. */
  reader(field: Field): (row: CandidateRow) => Value {
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

  private named(row: CandidateRow): Readonly<Record<string, unknown>> {
    if (this.isTogether) return (row[PROPERTIES] ?? {}) as Readonly<Record<string, unknown>>;
    const properties: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [name, column] of this.propertyColumns) {
      const value = row[column];
      if (value !== null) properties[name] = value;
    }
    return properties;
  }

  private copiedProperties(bind: BindValue): readonly (readonly [sql: string, column: string])[] {
    if (this.isTogether) return [['e.properties', PROPERTIES]];
    return [...this.propertyColumns].map(([name, column]) => [copiedPropertySql([name], bind), column]);
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

/** Told apart from the conditions, so that an index on the event type can be used, and its order where there is one type. */
function categoriesSql(categories: readonly (string | null)[], bind: Bind): string {
  if (categories.includes(null)) return '';
  const [first, ...others] = categories;
  return others.length === 0
    ? `e.event = ${bind(first)}::text AND `
    : `e.event = ANY (${bind(categories)}::text[]) AND `;
}

function timeOf({ ms }: CandidateRow): string {
  return new Date(ms).toISOString();
}
