import { readScalars, type Operand } from './operands.js';
import type { Operator } from './operator.js';
import { clickHouseEqualsSql } from './sql.js';

/** Matches a value that equals one of the operands. */
export const oneOf: Operator<readonly Operand[]> = {
  operand: 'scalars',
  read: readScalars,
  valuesOf: (wanted) => wanted,
  test: (wanted) => {
    const values = new Set<unknown>(wanted);
    return (value) => values.has(value);
  },
  sql: {
    text: (column, wanted, bind) => `${column} = ANY (${bind(wanted)}::text[])`,
    number: (column, wanted, bind) => `${column} = ANY (${bind(wanted)}::float8[])`,
    property: (property, wanted, bind) =>
      `${property} = ANY (${bind(wanted.map((item) => JSON.stringify(item)))}::text[]::jsonb[])`,
  },
  clickHouse: {
    text: (column, wanted, bind) => anyOf(wanted.map((item) => `${column} = ${bind(item, 'String')}`)),
    number: (column, wanted, bind) => anyOf(wanted.map((item) => `toFloat64(${column}) = ${bind(item, 'Float64')}`)),
    property: (property, wanted, bind) => anyOf(wanted.map((item) => clickHouseEqualsSql(property, item, bind))),
  },
};

function anyOf(tests: readonly string[]): string {
  return `(${tests.join(' OR ')})`;
}
