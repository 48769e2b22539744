import { StoreUnavailable } from './object-store.js';

/** What an error of the SDK says, without what it holds: requests with their signatures, and answers with keys in them. */
export interface S3Fault {
  /** As S3 names it (NoSuchKey), or of the connection (ECONNREFUSED, TimeoutError). */
  readonly code: string;
  /** Of the answer; undefined without one. */
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
    // A word alone: whatever answers in the place of the store chooses this text.
    code: typeof said === 'string' && /^[A-Za-z0-9_.]{1,64}$/.test(said) ? said : 'Unknown',
    status: typeof status === 'number' ? status : undefined,
  };
}

/** For the log: operation, name of the error and status, never the store's own text. */
export function unavailable(operation: string, error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const { code, status } = faultOf(error);
  const answer = status === undefined ? '' : ` (HTTP ${status})`;
  return new StoreUnavailable(new Error(`${operation}: ${code}${answer}`));
}
