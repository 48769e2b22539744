import { readScalar, type Scalar } from './operands.js';
import type { Operator } from './operator.js';
import { jsonSql, opposite } from './sql.js';

/** Typed: text never equals a number. */
export const eq: Operator<Scalar> = {
  operand: 'scalar',
  read: readScalar,
  valuesOf: (wanted) => [wanted],
  test: (wanted) => (value) => value === wanted,
  sql: {
    text: (column, wanted, bind) => `${column} = ${bind(wanted)}`,
    number: (column, wanted, bind) => `${column} = ${bind(wanted)}::float8`,
    property: (property, wanted, bind) => `${property} = ${jsonSql(wanted, bind)}`,
  },
};

/** The opposite everywhere, where the field is missing as well. */
export const ne: Operator<Scalar> = {
  operand: 'scalar',
  read: readScalar,
  test: (other) => (value) => value !== other,
  sql: {
    text: (column, other, bind) => opposite(`${column} = ${bind(other)}`),
    number: (column, other, bind) => opposite(`${column} = ${bind(other)}::float8`),
    property: (property, other, bind) => opposite(`${property} = ${jsonSql(other, bind)}`),
  },
};
