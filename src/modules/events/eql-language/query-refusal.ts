import { type Issue, ValidationError } from '../../../platform/http/validation/index.js';
import { compileCondition, type EventCondition } from './compiling/event-condition.js';
import { positionOf, QueryFault } from './language/query-fault.js';

/**
 * Compiles a condition of a request, such as `where` in its query.
 * @param loc the place of the condition in the request
 * @throws ValidationError
 */
export function readCondition(text: string, loc: Issue['loc']): EventCondition {
  return readAt(text, loc, compileCondition);
}

/**
 * Reads a query or a condition of a request.
 * @param loc the place of the text in the request
 * @throws ValidationError with the line, column and length of the fault in the text
 */
export function readAt<T>(text: string, loc: Issue['loc'], read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof QueryFault) throw refusalOf(error, text, loc);
    throw error;
  }
}

function refusalOf(fault: QueryFault, text: string, loc: Issue['loc']): ValidationError {
  const { line, column, length } = positionOf(text, fault.span);
  const { code, expected, hint } = fault;
  return new ValidationError([
    {
      type: 'value_error',
      loc,
      msg: `Value error, line ${line}, column ${column}: ${fault.message}`,
      input: text,
      ctx: { error: {}, code, line, column, length, expected, hint },
    },
  ]);
}
