import { sanitizeText } from '../sanitize/index.js';
import { aggregatedErrors, asError, errorMessage } from '../errors/index.js';

/**
 * The queue did not accept or answer a call in time. No work is lost, because due work is recorded in the domain
 * tables.
 */
export class QueueUnavailableError extends Error {
  override readonly name = 'QueueUnavailableError';

  constructor(what: string, cause?: unknown) {
    super(`the queue is not available: ${what}`, { cause });
  }
}

/**
 * The declared jobs do not match the handlers that were found at start. `problems` has one sentence for each mismatch.
 */
export class JobWiringError extends Error {
  override readonly name = 'JobWiringError';

  constructor(readonly problems: readonly string[]) {
    super(`jobs are not wired up:\n- ${problems.join('\n- ')}`);
  }
}

/** Returns one line that describes the error without a stack or a credential, at most 500 characters. */
export function describeError(error: unknown): string {
  const causes = aggregatedErrors(error);
  if (causes !== null && errorMessage(error) === '') return sanitizeText(causes.map(describeError).join('; '));
  return sanitizeText(errorMessage(error) || asError(error).name);
}
