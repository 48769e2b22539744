import type { Batch } from './event-queue.js';

/** What became of a try to send a batch. */
export type Outcome =
  /** It was taken; of its lines so many were refused, the first with `detail`. */
  | { readonly kind: 'stored'; readonly refused: number; readonly detail?: unknown }
  /** It was refused and would be again. */
  | { readonly kind: 'refused'; readonly status: number; readonly detail: unknown }
  /** Nobody knows, or not now: the same request is to be sent again, not before so many milliseconds. */
  | { readonly kind: 'again'; readonly afterMs: number };

export interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch;
}

/** Requests of pages up to this size may outlive the page (the Fetch standard: 64 KiB in all). */
export const KEEPALIVE_BYTES = 60_000;
/** A service that asks for longer is asked again after so long: a limit may have been raised meanwhile. */
const LONGEST_ASKED_WAIT_MS = 3_600_000;

interface LineResult {
  readonly accepted: boolean;
  readonly detail?: unknown;
}

/**
 * Sends a batch once. With the same key the service takes it once, however often it is sent: an answer that was lost on
 * its way is given again.
 */
export async function attempt(batch: Batch, { url, apiKey, timeoutMs, fetch }: Target): Promise<Outcome> {
  let response: Response;
  try {
    response = await fetch(`${url}/v1/events/ingest`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': batch.key, 'X-API-Key': apiKey },
      body: batch.lines.join('\n'),
      keepalive: batch.bytes <= KEEPALIVE_BYTES,
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = (await response.json().catch(() => ({}))) as { detail?: unknown; results?: readonly LineResult[] };
    if (response.ok) return storedOf(answer.results ?? []);
    if (isPassing(response.status)) return { kind: 'again', afterMs: askedWait(response.headers.get('Retry-After')) };
    return { kind: 'refused', status: response.status, detail: answer.detail };
  } catch {
    // No answer, or half of one.
    return { kind: 'again', afterMs: 0 };
  }
}

function storedOf(results: readonly LineResult[]): Outcome {
  const refused = results.filter(({ accepted }) => !accepted);
  return { kind: 'stored', refused: refused.length, ...(refused.length > 0 && { detail: refused[0]?.detail }) };
}

/** 409: the same request is still under way. */
function isPassing(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Of `Retry-After` in seconds, as the service says it. */
function askedWait(seconds: string | null): number {
  const wait = Number(seconds ?? 0) * 1_000;
  return wait > 0 ? Math.min(wait, LONGEST_ASKED_WAIT_MS) : 0;
}
