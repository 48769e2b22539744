import { isError } from '../platform/errors/index.js';

/** An expected failure of the demo. The message says what to do, and the exit code is 1. */
export class DemoError extends Error {
  override readonly name: string = 'DemoError';
}

/** A wrong command line. The exit code is 2. */
export class ArgumentError extends DemoError {
  override readonly name = 'ArgumentError';
}

export function messageOf(error: unknown): string {
  if (!isError(error)) return String(error);
  // The message of `fetch` is only "fetch failed"; its cause has the reason.
  return isError(error.cause) && error.cause.message !== '' ? error.cause.message : error.message;
}
