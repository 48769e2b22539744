/** Settles like `promise`, or rejects with the signal's reason once it is aborted; the promise's later outcome is dropped. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    // A listener for each promise: racing all of them against one of the signal's would keep every chunk until its end.
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The chunks of `content`, but for empty ones; throws the signal's reason as soon as it is aborted, also while content hangs. */
export async function* chunksOf(
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  signal.throwIfAborted();
  const iterator = content[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await orAborted(iterator.next(), signal);
      if (step.done === true) return;
      if (step.value.length > 0) yield step.value;
    }
  } finally {
    // Whoever hangs in next() would not return before, so it is told and not waited for; who has ended does not mind.
    iterator.return?.().catch(() => undefined);
  }
}
