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
      // Numbers with more digits than a double may lie on either side of the same double, so equality matches, too.
      property: (property, limit, bind) =>
        onClickHouseNumber(property, (number) => `${number} ${sign.charAt(0)}= ${bind(limit, 'Float64')}`),
    },
  };
}
