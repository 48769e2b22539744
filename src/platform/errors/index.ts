import { types } from 'node:util';

/** Whether a thrown value is an error. Unlike `instanceof`, this also holds for errors of another realm, as in Jest. */
export function isError(thrown: unknown): thrown is Error {
  return types.isNativeError(thrown) || thrown instanceof Error;
}

/** Returns a thrown value as an error. Libraries may also throw other values. */
export function asError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(errorMessage(thrown));
}

/** Returns the message of a thrown value, or the value as text when it has no message. */
export function errorMessage(thrown: unknown): string {
  const { message } = (thrown ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : String(thrown);
}

/** Returns the code of an error of Node, PostgreSQL or a library, for example `ENOENT`. */
export function errorCode(thrown: unknown): string | undefined {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/**
 * Returns the errors that an AggregateError contains, such as one for each address of a host, or null for other errors.
 */
export function aggregatedErrors(thrown: unknown): readonly unknown[] | null {
  return isError(thrown) && 'errors' in thrown && Array.isArray(thrown.errors) ? thrown.errors : null;
}
