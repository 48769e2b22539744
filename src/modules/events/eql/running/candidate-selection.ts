import type { Bind } from '../../../../platform/database/parameters.js';
import { type FilterSubject, propertiesSql } from '../../conditions/index.js';
import type { EventPlace } from '../../reads/index.js';
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

export interface CandidateRow extends EventPlace {
  /** By term, whether it may fit: for an exact condition whether it does. */
  readonly fits: readonly boolean[];
  readonly fields: readonly unknown[];
  /** Null where there are none, or where the event is large. */
  readonly properties: Readonly<Record<string, unknown>> | null;
  readonly isLarge: boolean;
}

/** What is asked of the database about events: which of them any term may be about, and what decides about them here. */
export class CandidateSelection {
  /** Names of properties that paths may be or begin in. */
  readonly propertyNames: readonly string[];
  private readonly ownNames: readonly string[];

  /** @param keys that events are joined by */
  constructor(
    readonly terms: readonly TermCondition[],
    keys: readonly Field[],
  ) {
    const asked = terms.flatMap(({ condition }) => (condition.isExact ? [] : condition.fields));
    const fields = [...asked, ...keys];
    this.ownNames = [...new Set(fields.flatMap(({ own }) => (own === null || own === 'timestamp' ? [] : [own])))];
    this.propertyNames = [
      ...new Set(fields.flatMap(({ own, path }) => (own === null ? [path[0] ?? '', path.join('.')] : []))),
    ];
  }

  /** The columns of a {@link CandidateRow} beside its place, and the condition on the rows `e`. */
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
    const own = this.ownNames.map((name) => ownField(name).sql);
    return {
      columns: `ARRAY[${tests.map((test) => `coalesce(${test}, false)`).join(', ')}]::boolean[] AS fits,
        json_build_array(${own.join(', ')}) AS fields,
        CASE WHEN NOT ${isLarge} THEN ${propertiesSql(this.propertyNames, bind)} END AS properties,
        ${isLarge} AS "isLarge"`,
      where: `${ofTypes}(${tests.join(' OR ')})`,
    };
  }

  /** What conditions and keys are asked about. */
  subject(row: CandidateRow, properties: Readonly<Record<string, unknown>> | null): FilterSubject {
    const fields: Record<string, unknown> = { timestamp: row.timestamp.toISOString() };
    for (const [at, name] of this.ownNames.entries()) fields[name] = row.fields[at];
    return { fields, properties: properties ?? {} };
  }
}
