import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Failure } from '../../../../platform/http/validation/index.js';
import type { FieldType, OperandName } from './operands.js';
import type { Test } from './search.js';
import type { Bind } from './sql.js';

/**
 * Returns the test as SQL of PostgreSQL. The SQL is true when the test in memory is true, and otherwise false or null.
 */
export type SqlTest<V> = (field: string, operand: V, bind: Bind) => string;

/** Returns the test as SQL of ClickHouse. */
export type ClickHouseTest<V> = (field: string, operand: V, bind: BindValue) => string;

/**
 * The definition of one operator of conditions. For each type of field, the test in memory and the tests in SQL have
 * the same meaning; test/integration/event-conditions.spec.ts compares them.
 */
export interface Operator<V> {
  /** The name of the schema of the operand. */
  readonly operand: OperandName;
  /** Reads the operand for a field of this type, and checks its size. */
  read(value: unknown, type: FieldType): V | Failure;
  /** The default of the operand. Without a default the operand is required. */
  readonly whenLeftOut?: V;
  /**
   * Returns the regular expression of the operand. Filters limit the number of regular expressions. Left out when the
   * operator has none.
   */
  patternOf?(operand: V): string;
  /** Returns all values that match. Left out when the operator does not match a set of values. */
  valuesOf?(operand: V): readonly unknown[];
  /**
   * Compiles the test, once for each filter.
   * @param projectId the project of the filter, whose share of the machine pool its patterns use
   */
  test(operand: V, projectId: string): Test;
  readonly sql: {
    /** Tests a column of text. Null when the operator compares numbers and is refused for fields of text. */
    readonly text: SqlTest<V> | null;
    /** Tests a column of numbers. Null when the operator searches text and is refused for fields of numbers. */
    readonly number: SqlTest<V> | null;
    /** Tests a jsonb expression, which is null when the property is missing or null. */
    readonly property: SqlTest<V>;
  };
  /**
   * Tests in ClickHouse that exclude rows which certainly do not match. Null, or left out, when the operator can
   * exclude no row.
   */
  readonly clickHouse?: {
    /** Tests a column of text, as exactly as `sql.text`. */
    readonly text: ClickHouseTest<V> | null;
    /** Tests a column of numbers, as exactly as `sql.number`. */
    readonly number: ClickHouseTest<V> | null;
    /**
     * Tests JSON text, which is empty or `null` when the property is missing or null. The test is true whenever
     * `sql.property` is true, and may be true for more rows.
     */
    readonly property: ClickHouseTest<V> | null;
  };
}
