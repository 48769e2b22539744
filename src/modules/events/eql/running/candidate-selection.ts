import type { Bind } from '../../../../platform/database/parameters.js';
import { type FilterSubject, propertiesSql } from '../../conditions/index.js';
import type { EventCondition } from '../compiling/event-condition.js';
import type { Field } from '../language/ast.js';
import { ownField } from '../language/field-names.js';

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

/** As few columns as can be: there may be a million of them. */
export interface CandidateRow {
  readonly id: string;
  /** Of its timestamp. */
  readonly ms: number;
  /** By term, whether the event may fit, and for an exact condition whether it does; and whether it is large. */
  readonly bits: number;
  readonly fields: readonly unknown[] | null;
  /** Values of {@link CandidateSelection.propertyNames} or an object of them; null where the event is large. */
  readonly properties: readonly unknown[] | Readonly<Record<string, unknown>> | null;
}

const LARGE_BIT = 1 << 24;
/** Values that are selected one by one; more come as an object. */
const MOST_VALUES = 30;

/** What is asked of the database about events: which of them any term may be about, and what decides about them here. */
export class CandidateSelection {
  /** Names of properties that paths may be or begin in. */
  readonly propertyNames: readonly string[];
  private readonly ownNames: readonly string[];
  private readonly hasTime: boolean;

  /** @param keys that events are joined by */
  constructor(
    readonly terms: readonly TermCondition[],
    keys: readonly Field[],
  ) {
    const asked = terms.flatMap(({ condition }) => (condition.isExact ? [] : condition.fields));
    const fields = [...asked, ...keys];
    this.ownNames = [...new Set(fields.flatMap(({ own }) => (own === null || own === 'timestamp' ? [] : [own])))];
    this.hasTime = fields.some(({ own }) => own === 'timestamp');
    this.propertyNames = [
      ...new Set(fields.flatMap(({ own, path }) => (own === null ? [path[0] ?? '', path.join('.')] : []))),
    ];
  }

  /** The columns of a {@link CandidateRow} and the condition on the rows `e`. */
  sql(bind: Bind): { readonly columns: string; readonly where: string } {
    const tests = this.terms.map(({ category, condition }) => {
      const test = condition.sql(bind);
      return category === null ? test : `(e.event = ${bind(category)}::text AND ${test})`;
    });
    const categories = this.terms.map(({ category }) => category);
    // Told apart from the conditions, so that an index on the event type can be used.
    const ofTypes = categories.includes(null) ? '' : `e.event = ANY (${bind([...new Set(categories)])}::text[]) AND `;
    const isLarge =
      this.propertyNames.length === 0
        ? 'false'
        : `coalesce(e.bytes > ${LARGE_EVENT_BYTES}, pg_column_size(e.properties) > ${LARGE_STORED_BYTES})`;
    // What stands in WHERE is true of all that come.
    const bits =
      tests.length === 1 ? ['1'] : tests.map((test, term) => `CASE WHEN ${test} THEN ${1 << term} ELSE 0 END`);
    const own = this.ownNames.map((name) => ownField(name).sql);
    return {
      columns: `(extract(epoch FROM e."timestamp") * 1000)::float8 AS ms, e.id,
        ${bits.join(' + ')} + CASE WHEN ${isLarge} THEN ${LARGE_BIT} ELSE 0 END AS bits,
        ${own.length === 0 ? 'NULL::json' : `json_build_array(${own.join(', ')})`} AS fields,
        CASE WHEN NOT ${isLarge} THEN ${this.propertyValues(bind)} END AS properties`,
      where: `${ofTypes}(${tests.join(' OR ')})`,
    };
  }

  /** Whether the event may fit a term. */
  mayFit({ bits }: CandidateRow, term: number): boolean {
    return (bits & (1 << term)) !== 0;
  }

  isLarge({ bits }: CandidateRow): boolean {
    return (bits & LARGE_BIT) !== 0;
  }

  /** What conditions and keys are asked about. */
  subject(
    { ms, fields: values, properties: held }: CandidateRow,
    large: CandidateRow['properties'] = held,
  ): FilterSubject {
    const fields: Record<string, unknown> = this.hasTime ? { timestamp: new Date(ms).toISOString() } : {};
    for (const [at, name] of this.ownNames.entries()) fields[name] = values?.[at];
    return { fields, properties: this.named(large) };
  }

  private named(values: CandidateRow['properties']): Readonly<Record<string, unknown>> {
    if (!Array.isArray(values)) return (values ?? {}) as Readonly<Record<string, unknown>>;
    const properties: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [at, name] of this.propertyNames.entries()) {
      const value = (values as readonly unknown[])[at];
      if (value !== null) properties[name] = value;
    }
    return properties;
  }

  private propertyValues(bind: Bind): string {
    if (this.propertyNames.length === 0) return 'NULL::jsonb';
    if (this.propertyNames.length > MOST_VALUES) return propertiesSql(this.propertyNames, bind);
    return `jsonb_build_array(${this.propertyNames.map((name) => `e.properties -> ${bind(name)}::text`).join(', ')})`;
  }
}
