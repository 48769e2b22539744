import { StoreUnavailable } from './object-store.js';

/**
 * The code and the status of an SDK error. It contains no request, which has a signature, and no answer, which may
 * contain keys.
 */
export interface S3Fault {
  /** The error name of S3 (NoSuchKey) or of the connection (ECONNREFUSED, TimeoutError). */
  readonly code: string;
  /** The status of the answer, or undefined without an answer. */
  readonly status: number | undefined;
}

interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
}

export function faultOf(error: unknown): S3Fault {
  const { name, code, $metadata } = (typeof error === 'object' && error !== null ? error : {}) as SdkError;
  const status = $metadata?.httpStatusCode;
  const said = typeof code === 'string' && code !== '' ? code : name;
  return {
    // Only a single word is accepted, because a server that takes the place of the store could send any text.
    code: typeof said === 'string' && /^[A-Za-z0-9_.]{1,64}$/.test(said) ? said : 'Unknown',
    status: typeof status === 'number' ? status : undefined,
  };
}

/**
 * Returns an error for the log with the operation, the error name and the status. It contains no text from the store.
 */
export function unavailable(operation: string, error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const { code, status } = faultOf(error);
  const answer = status === undefined ? '' : ` (HTTP ${status})`;
  return new StoreUnavailable(new Error(`${operation}: ${code}${answer}`));
}
