import { isRefusal, UnexpectedAnswer } from '@operational-events/client';

/** A longer wait is shown as an error at once. */
const LONGEST_MS = 60_000;
/** The wait after an answer that names none. */
const UNNAMED_MS = 2_000;

/** The end of the longest wait that the service has asked for, in seconds of that wait. Null: there is none. */
let seconds: number | null = null;
let end = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Returns the wait in seconds that `useSyncExternalStore` shows. */
export function currentWait(): number | null {
  return seconds;
}

export function onWait(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(next: number | null): void {
  seconds = next;
  for (const listener of listeners) listener();
}

/** `fetch` that remembers waits, so that the page can show why it waits. */
export const observedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status === 429 || response.status === 503) {
    const wait = retryAfterMs(response.headers) ?? UNNAMED_MS;
    if (wait <= LONGEST_MS && Date.now() + wait > end) {
      end = Date.now() + wait;
      clearTimeout(timer);
      timer = setTimeout(() => set(null), wait);
      set(Math.ceil(wait / 1_000));
    }
  }
  return response;
};

/** Returns the wait that `Retry-After` asks for in milliseconds, or null when the header is missing. */
function retryAfterMs(headers: Headers): number | null {
  const retryAfter = headers.get('Retry-After');
  if (retryAfter === null || retryAfter === '') return null;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Returns the wait that an error asks for in milliseconds, or null when it names none. */
export function waitOf(error: unknown): number | null {
  return isRefusal(error) || error instanceof UnexpectedAnswer ? retryAfterMs(error.headers) : null;
}

/** Returns whether another try may help. A decision of the service stays as it is. */
export function isPassing(error: unknown): boolean {
  if ((waitOf(error) ?? 0) > LONGEST_MS) return false;
  return isRefusal(error) ? error.status >= 500 || error.status === 429 : true;
}
