import { readScalar, type Operand } from './operands.js';
import type { Operator } from './operator.js';
import { clickHouseEqualsSql, jsonSql, opposite } from './sql.js';

/** Matches a value of the same type that equals the operand: text never equals a number. */
export const eq: Operator<Operand> = {
  operand: 'scalar',
  read: readScalar,
  valuesOf: (wanted) => [wanted],
  test: (wanted) => (value) => value === wanted,
  sql: {
    text: (column, wanted, bind) => `${column} = ${bind(wanted)}`,
    number: (column, wanted, bind) => `${column} = ${bind(wanted)}::float8`,
    property: (property, wanted, bind) => `${property} = ${jsonSql(wanted, bind)}`,
  },
  clickHouse: {
    text: (column, wanted, bind) => `${column} = ${bind(wanted, 'String')}`,
    number: (column, wanted, bind) => `toFloat64(${column}) = ${bind(wanted, 'Float64')}`,
    property: clickHouseEqualsSql,
  },
};

/** The opposite of {@link eq} for every value: `ne` matches a missing field, too. */
export const ne: Operator<Operand> = {
  operand: 'scalar',
  read: readScalar,
  test: (other) => (value) => value !== other,
  sql: {
    text: (column, other, bind) => opposite(`${column} = ${bind(other)}`),
    number: (column, other, bind) => opposite(`${column} = ${bind(other)}::float8`),
    property: (property, other, bind) => opposite(`${property} = ${jsonSql(other, bind)}`),
  },
  clickHouse: {
    text: (column, other, bind) => `ifNull(${column} != ${bind(other, 'String')}, 1)`,
    number: (column, other, bind) => `ifNull(toFloat64(${column}) != ${bind(other, 'Float64')}, 1)`,
    property: null,
  },
};
