import { asError } from '../errors/index.js';
/**
 * Settles like `promise`, or rejects with `late()` once `ms` have passed. The promise continues, but its later outcome
 * is dropped. The timer does not keep the process alive.
 */
export function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(late());
    // If the process was busy, an answer may already have arrived in its socket. It is read before the immediate runs.
    const timer = setTimeout(() => setImmediate(giveUp), ms).unref();
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(asError(error));
      },
    );
  });
}

/**
 * Settles like `promise`, or rejects with `given()` once the signal is aborted. The promise continues, but its later
 * outcome is dropped.
 */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>, given: () => Error): Promise<T> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(given());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
  // The losing promise of the race may reject later, which must not be an unhandled rejection.
  promise.catch(() => undefined);
  aborted.catch(() => undefined);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** A time limit that several calls of one operation share. */
export class Deadline {
  /** Aborts calls that are in progress, and calls that start later. */
  readonly signal: AbortSignal;

  constructor(readonly milliseconds: number) {
    this.signal = AbortSignal.timeout(milliseconds);
  }

  /** Returns the result of a call. @throws Error when the call has not ended in time */
  hold<T>(call: Promise<T>): Promise<T> {
    return unlessAborted(this.signal, call, () => new Error('no answer in time'));
  }
}
