import { StoreUnavailable } from './object-store.js';

/**
 * The code and status of an SDK error, without requests and their signatures, and without answers that contain keys.
 */
export interface S3Fault {
  /** S3's name of the error (NoSuchKey), or the connection's (ECONNREFUSED, TimeoutError). */
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
    // Only one word is accepted, because any server in place of the store could choose this text.
    code: typeof said === 'string' && /^[A-Za-z0-9_.]{1,64}$/.test(said) ? said : 'Unknown',
    status: typeof status === 'number' ? status : undefined,
  };
}

/** Returns an error for the log: the operation, the name of the error and the status, never the store's own text. */
export function unavailable(operation: string, error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const { code, status } = faultOf(error);
  const answer = status === undefined ? '' : ` (HTTP ${status})`;
  return new StoreUnavailable(new Error(`${operation}: ${code}${answer}`));
}
