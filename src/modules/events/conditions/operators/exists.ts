import { boolean } from '../../../../platform/http/validation/index.js';
import type { Operator } from './operator.js';
import { readerOf } from './reading.js';

const readBoolean = readerOf(boolean());

const existsSql = (field: string, wanted: boolean): string => `${field} IS ${wanted ? 'NOT ' : ''}NULL`;

/** Matches a field that is present and not null, or, with `false`, one that is missing or null. */
export const exists: Operator<boolean> = {
  operand: 'presence',
  read: (value) => readBoolean(value, 1),
  whenLeftOut: true,
  test: (wanted) => (value) => (value !== null && value !== undefined) === wanted,
  sql: { text: existsSql, number: existsSql, property: existsSql },
  clickHouse: {
    text: existsSql,
    number: existsSql,
    property: (property, wanted) => `${property} ${wanted ? 'NOT ' : ''}IN ('', 'null')`,
  },
};
