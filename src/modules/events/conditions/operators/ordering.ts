import { readNumber } from './operands.js';
import type { Operator } from './operator.js';
import type { Test } from './search.js';
import { onClickHouseNumber, stringSql } from './sql.js';

export const gt = ordering('>', (limit) => (value) => typeof value === 'number' && value > limit);
export const gte = ordering('>=', (limit) => (value) => typeof value === 'number' && value >= limit);
export const lt = ordering('<', (limit) => (value) => typeof value === 'number' && value < limit);
export const lte = ordering('<=', (limit) => (value) => typeof value === 'number' && value <= limit);

/** Returns an operator that compares numbers. Other values do not match. */
function ordering(sign: '>' | '>=' | '<' | '<=', test: (limit: number) => Test): Operator<number> {
  return {
    operand: 'number',
    read: readNumber,
    test,
    sql: {
      text: null,
      number: (column, limit, bind) => `${column} ${sign} ${bind(limit)}::float8`,
      property: (property, limit, bind) =>
        `CASE WHEN jsonb_typeof(${property}) = 'number'
        THEN ${stringSql(property)}::numeric ${sign} ${bind(JSON.stringify(limit))}::text::numeric END`,
    },
    clickHouse: {
      text: null,
      number: (column, limit, bind) => `toFloat64(${column}) ${sign} ${bind(limit, 'Float64')}`,
      // A number with more digits than a double may be smaller or larger than the double that it is read as. So the
      // test also matches an equal double.
      property: (property, limit, bind) =>
        onClickHouseNumber(property, (number) => `${number} ${sign.charAt(0)}= ${bind(limit, 'Float64')}`),
    },
  };
}
