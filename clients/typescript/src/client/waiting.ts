/** Rejects with the signal's reason when that comes first; the work goes on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Rejects with the signal's reason when that comes first. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  try {
    await unlessAborted(over, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** How long `Retry-After` asks to wait: seconds, or a date as what stands between may send it; null when it says nothing. */
export function askedWaitMs(headers: Headers): number | null {
  const asked = headers.get('Retry-After');
  if (asked === null || asked === '') return null;
  const wait = /^\d+$/.test(asked) ? Number(asked) * 1_000 : Date.parse(asked) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Doubles from a quarter of a second to half a minute, less up to half of it by chance, so that not all come at once. */
export function backoffMs(tries: number): number {
  return Math.min(30_000, 250 * 2 ** tries) * (1 - Math.random() / 2);
}
