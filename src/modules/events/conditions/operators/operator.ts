import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Failure } from '../../../../platform/http/fields/index.js';
import type { FieldType, OperandName } from './operands.js';
import type { Test } from './search.js';
import type { Bind } from './sql.js';

/** The test as an SQL expression; true exactly where the test in memory is, elsewhere false or null. */
export type SqlTest<V> = (field: string, operand: V, bind: Bind) => string;

/** The test on a row of ClickHouse. */
export type CopiedTest<V> = (field: string, operand: V, bind: BindValue) => string;

/**
 * One operator of conditions: everything that is known of it. What it says in memory it says in SQL too, of each type of
 * field; test/integration/event-conditions.spec.ts holds the two against each other.
 */
export interface Operator<V> {
  /** What the document says of its operand. */
  readonly operand: OperandName;
  /** Reads and bounds what a field of the type is compared with. */
  read(value: unknown, type: FieldType): V | Failure;
  /** What a comparison without a value is given; left out: the value is required. */
  readonly whenLeftOut?: V;
  /** The pattern that tests search for, which has a cost of its own; left out: none. */
  patternOf?(operand: V): string;
  /** The values of which a field that fits has one, and that all fit; left out: it is more than that. */
  valuesOf?(operand: V): readonly unknown[];
  /**
   * Compiles the test, once for a filter.
   * @param projectId whose filter it is, and so whose memory its patterns take
   */
  test(operand: V, projectId: string): Test;
  readonly sql: {
    /** On a column of text; null: the operator compares numbers, and is refused for fields of text. */
    readonly text: SqlTest<V> | null;
    /** On a column of numbers; null: the operator looks into text, and is refused for fields of numbers. */
    readonly number: SqlTest<V> | null;
    /** On a jsonb expression, null where the property is missing or null. */
    readonly property: SqlTest<V>;
  };
  /** In ClickHouse's words, which leave out what surely does not fit; null, or left out: nothing does so surely. */
  readonly copied?: {
    /** On a column of text, as exact as that of `sql`. */
    readonly text: CopiedTest<V> | null;
    /** On a column of numbers, as exact as that of `sql`. */
    readonly number: CopiedTest<V> | null;
    /** On a text of JSON, empty or `null` where the property is missing or null: true wherever that of `sql` is. */
    readonly property: CopiedTest<V> | null;
  };
}
