import { readScalars, type Scalar } from './operands.js';
import type { Operator } from './operator.js';

/** Equals one of the values. */
export const oneOf: Operator<readonly Scalar[]> = {
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
};
