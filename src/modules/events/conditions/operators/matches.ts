import { failed, ruleBroken } from '../../../../platform/http/validation/index.js';
import { patternForPostgres } from '../patterns/pattern-sql.js';
import { MAX_SEARCHED } from '../patterns/pattern-syntax.js';
import { patternFault, TextPattern } from '../patterns/text-pattern.js';
import { readPart } from './operands.js';
import type { Operator } from './operator.js';
import { holding } from './search.js';
import { type Bind, onString } from './sql.js';

/** Matches a text that has the regular expression in its first 4,096 characters. */
export const matches: Operator<string> = {
  operand: 'part',
  read: (value) => {
    const source = readPart(value);
    if (failed(source)) return source;
    const reason = patternFault(source);
    return reason === null ? source : ruleBroken(`the pattern cannot be used: ${reason}`, value);
  },
  patternOf: (source) => source,
  test: (source, projectId) => holding(new TextPattern(projectId, source)),
  sql: {
    text: matchesSql,
    number: null,
    property: (property, source, bind) => onString(property, (text) => matchesSql(text, source, bind)),
  },
};

function matchesSql(text: string, source: string, bind: Bind): string {
  return `left(${text}, ${MAX_SEARCHED}) ~ ${bind(patternForPostgres(source))}`;
}
