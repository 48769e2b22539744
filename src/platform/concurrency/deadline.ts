/**
 * Settles like `promise`, or rejects with `late()` once `ms` have passed. The promise itself goes on; its later
 * outcome is dropped. The timer does not keep the process alive.
 */
export function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(late());
    // An answer may lie in the socket of a process that was busy itself: it is read before the immediate runs.
    const timer = setTimeout(() => setImmediate(giveUp), ms).unref();
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/**
 * Settles like `promise`, or rejects with `given()` once the signal is aborted. The promise itself goes on; its later outcome is
 * dropped.
 */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>, given: () => Error): Promise<T> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(given());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
  // Whichever comes second fails unseen.
  promise.catch(() => undefined);
  aborted.catch(() => undefined);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The end of the time that one act may spend, however many calls it takes. */
export class Deadline {
  /** Aborts what is under way, and what is begun later. */
  readonly signal: AbortSignal;

  constructor(readonly milliseconds: number) {
    this.signal = AbortSignal.timeout(milliseconds);
  }

  /** @throws Error when the call is not done in time */
  hold<T>(call: Promise<T>): Promise<T> {
    return unlessAborted(this.signal, call, () => new Error('no answer in time'));
  }
}
