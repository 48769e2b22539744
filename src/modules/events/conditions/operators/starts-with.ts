import { readPart } from './operands.js';
import type { Operator } from './operator.js';
import { onClickHouseString, onString } from './sql.js';

export const startsWith: Operator<string> = {
  operand: 'part',
  read: readPart,
  test: (part) => (value) => typeof value === 'string' && value.startsWith(part),
  sql: {
    text: (column, part, bind) => `starts_with(${column}, ${bind(part)})`,
    number: null,
    property: (property, part, bind) => onString(property, (text) => `starts_with(${text}, ${bind(part)})`),
  },
  clickHouse: {
    text: (column, part, bind) => `startsWith(${column}, ${bind(part, 'String')})`,
    number: null,
    property: (property, part, bind) =>
      onClickHouseString(property, (text) => `startsWith(${text}, ${bind(part, 'String')})`),
  },
};
