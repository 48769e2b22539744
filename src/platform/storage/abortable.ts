/**
 * Settles like `promise`, or rejects with the signal's reason when the signal aborts first. A later result of the
 * promise is ignored.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    // Each promise has its own listener. If all promises raced against one promise of the signal, every chunk would
    // stay in memory until the signal's promise settles.
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Yields the non-empty chunks of `content`. Throws the signal's reason as soon as it aborts, even while content hangs.
 */
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
    // `return()` is not awaited, because a source that hangs in `next()` would also hang here. A source that has ended
    // ignores the call.
    iterator.return?.().catch(() => undefined);
  }
}
