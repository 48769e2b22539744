import { FilterTooCostly, StoredFilterRefused } from '../../../events/conditions/index.js';
import { isPassingFault, isTakenTooLong } from './database-faults.js';

const INVALID_REGULAR_EXPRESSION = '2201B';

/** The rules before this one have left too little of what all of them may take over an event. */
export class RulesTooCostly extends Error {
  constructor() {
    super('The rules take too many steps together');
  }
}

/**
 * What is the rule's own fault: a sentence without statements, values or anything of another's. Null: something else failed,
 * which the log has.
 */
export function ownFault(error: unknown): string | null {
  if (error instanceof StoredFilterRefused) return `Its condition is no longer accepted: ${error.message}`;
  if (error instanceof FilterTooCostly) return 'Its filter takes too long for the events it is asked about';
  if (error instanceof RulesTooCostly) return 'The rules of the project take too long together for some of its events';
  if (isTakenTooLong(error)) return 'Reading the events of its windows takes too long: narrow its filter or its window';
  if ((error as { code?: unknown }).code === INVALID_REGULAR_EXPRESSION) {
    return 'PostgreSQL refuses one of its patterns as too complex';
  }
  return null;
}

/** Why a rule could not be evaluated, for the people of its project. */
export function reasonOf(error: unknown): string {
  return (
    ownFault(error) ??
    (isPassingFault(error)
      ? 'The database could not be asked; it is tried again'
      : 'It failed by a fault of the service; it is tried again')
  );
}
