import { readPart, readScalar, type Operand } from './operands.js';
import type { Operator } from './operator.js';
import { found, holding, type Search, type Test } from './search.js';
import { jsonSql, onClickHouseString, stringSql } from './sql.js';
import { TextSearch } from './text-search.js';

/** Matches a text that contains the operand, or a list that has it as an item. */
export const contains: Operator<Operand> = {
  operand: 'scalarPart',
  read: (value, type) => (typeof value === 'string' || type === 'text' ? readPart(value) : readScalar(value, type)),
  test: (wanted) => {
    const inText: Test = typeof wanted === 'string' ? holding(new TextSearch(wanted)) : () => false;
    const inList: Search<readonly unknown[]> = {
      stepsIn: ({ length }) => length,
      isIn: (values) => values.includes(wanted),
    };
    return (value, meter) => (Array.isArray(value) ? found(inList, value, meter) : inText(value, meter));
  },
  sql: {
    text: (column, wanted, bind) => `strpos(${column}, ${bind(wanted)}) > 0`,
    number: null,
    property: (property, wanted, bind) =>
      `CASE jsonb_typeof(${property}) WHEN 'array' THEN ${property} @> jsonb_build_array(${jsonSql(wanted, bind)})
        ${typeof wanted === 'string' ? `WHEN 'string' THEN strpos(${stringSql(property)}, ${bind(wanted)}) > 0` : ''} END`,
  },
  clickHouse: {
    text: (column, wanted, bind) => `position(${column}, ${bind(wanted, 'String')}) > 0`,
    number: null,
    property: (property, wanted, bind) => {
      const isList = `startsWith(${property}, '[')`;
      if (typeof wanted !== 'string') return isList;
      const isInText = onClickHouseString(property, (text) => `position(${text}, ${bind(wanted, 'String')}) > 0`);
      return `(${isList} OR ${isInText})`;
    },
  },
};
