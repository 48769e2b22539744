import type { Batch } from './event-queue.js';

/** What became of a try to send a batch. */
export type Outcome =
  /** It was taken; of its lines so many were refused, the first with `detail`. */
  | { readonly kind: 'stored'; readonly refused: number; readonly status: number; readonly detail?: unknown }
  /** It was refused and would be again. Pages do not learn the status of a redirect. */
  | { readonly kind: 'refused'; readonly status?: number; readonly detail: unknown }
  /** The request is larger than the service, or a proxy before it, takes. Nothing of it was stored. */
  | { readonly kind: 'tooLarge'; readonly status: number; readonly detail: unknown }
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

interface Answer {
  readonly detail?: unknown;
  readonly results?: readonly unknown[];
}

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
      // A redirect would take the key elsewhere, and to follow it would hide that the address is wrong.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (isRedirect(response)) return await redirected(response);
    if (isPassing(response.status)) {
      await response.body?.cancel();
      return { kind: 'again', afterMs: askedWait(response.headers.get('Retry-After')) };
    }
    const { status } = response;
    if (response.ok) return outcomeOf((await response.json()) as Answer | null, status, batch);
    const answer = await answerOf(response);
    // Every line was refused for a reason of its own.
    if (status === 422 && hasResults(answer, batch)) return outcomeOf(answer, status, batch);
    const detail = answer?.detail;
    return { kind: status === 413 ? 'tooLarge' : 'refused', status, detail };
  } catch {
    // There was no answer, half of one, or one that is no JSON: the service may have stored the batch or not.
    return { kind: 'again', afterMs: 0 };
  }
}

/** Only an answer with a result for each line proves that the service has decided on the batch. A proxy may answer 200, too. */
function outcomeOf(answer: Answer | null, status: number, batch: Batch): Outcome {
  if (!hasResults(answer, batch)) return { kind: 'again', afterMs: 0 };
  const refused = answer.results.filter(({ accepted }) => !accepted);
  return { kind: 'stored', refused: refused.length, status, ...(refused.length > 0 && { detail: refused[0]?.detail }) };
}

function hasResults(answer: Answer | null, { lines }: Batch): answer is { results: LineResult[] } {
  const results = answer?.results;
  return Array.isArray(results) && results.length === lines.length && results.every(isResult);
}

function isResult(value: unknown): value is LineResult {
  return typeof (value as LineResult | null)?.accepted === 'boolean';
}

/** The status says that the batch was refused, also when the words are missing or broken off. */
async function answerOf(response: Response): Promise<Answer | null> {
  return (await response.json().catch(() => null)) as Answer | null;
}

/** Pages see an opaque answer instead of the redirect. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

async function redirected({ status, headers, body }: Response): Promise<Outcome> {
  await body?.cancel();
  const location = headers.get('Location');
  const detail = location === null ? 'Redirects are not followed' : `Redirects are not followed: ${location}`;
  return { kind: 'refused', ...(status > 0 && { status }), detail };
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
