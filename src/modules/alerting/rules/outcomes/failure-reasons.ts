import { FilterTooCostly, StoredFilterRefused } from '../../../events/conditions/index.js';
import { isPassingFault, isTakenTooLong } from '../../../../platform/database/database-faults.js';

const INVALID_REGULAR_EXPRESSION = '2201B';

/**
 * Thrown when earlier rules have left too few of the steps that all rules of a project may take together for an event.
 */
export class RulesTooCostly extends Error {
  constructor() {
    super('The rules take too many steps together');
  }
}

/**
 * Returns a sentence for a failure that the rule causes, without statements, values or data of other tenants. Returns
 * null for any other failure, which is in the log.
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

/** Returns why a rule could not be evaluated, in a sentence for the members of its project. */
export function reasonOf(error: unknown): string {
  return (
    ownFault(error) ??
    (isPassingFault(error)
      ? 'The database could not be asked; it is tried again'
      : 'It failed by a fault of the service; it is tried again')
  );
}
