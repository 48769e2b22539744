import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiAnswer, type ApiClient, detailOf, isRecord, isSuccess, listOf } from './api-client.js';
import { DemoError, messageOf } from './demo-error.js';

/** The body of one ingestion request as JSON text, without line feeds. */
export interface EventLine {
  readonly line: number;
  readonly body: string;
}

export type LineOutcome =
  | { readonly line: number; readonly accepted: true }
  | { readonly line: number; readonly accepted: false; readonly reason: string };

export interface SenderOptions {
  readonly client: ApiClient;
  readonly apiKey: string;
  /** Requests in flight at a time. */
  readonly concurrency: number;
  /** Called once for each pause that the service requests. */
  readonly onPause?: (seconds: number, reason: string) => void;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Limits of one batch. They are below the limits of the service, so that progress is visible. */
const MOST_LINES = 500;
const MOST_CHARACTERS = 1_000_000;
/** A longer `Retry-After` is not waited for, because it comes from a quota of a day or a month. */
const MAX_PAUSE_SECONDS = 120;
/** After this many pauses without an accepted event, the next refusal is final. */
const MAX_VAIN_PAUSES = 5;
/**
 * A request without an answer is repeated this many times. The idempotency key keeps events from being stored twice.
 */
const MAX_LOST_ANSWERS = 3;

/** Sends events as batches of lines, each batch with its own idempotency key. */
export class BatchSender {
  private pause: Promise<void> | null = null;
  private vainPauses = 0;

  constructor(private readonly options: SenderOptions) {}

  /** Resolves when every event has its outcome. @throws DemoError when the service stops answering */
  async send(events: AsyncIterable<EventLine>, report: (outcome: LineOutcome) => void): Promise<void> {
    const queue = batchesOf(events);
    let failed = false;
    const worker = async (): Promise<void> => {
      while (!failed) {
        const next = await queue.next();
        if (next.done === true) return;
        for (const outcome of await this.sendBatch(next.value)) report(outcome);
      }
    };
    const workers = Array.from({ length: this.options.concurrency }, () =>
      worker().catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    );
    const results = await Promise.allSettled(workers);
    await queue.return(undefined);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  private async sendBatch(batch: readonly EventLine[]): Promise<LineOutcome[]> {
    const key = randomUUID();
    for (let lost = 0; ;) {
      if (this.pause !== null) await this.pause;
      const answer = await this.post(batch, key);
      if (typeof answer === 'string') {
        lost += 1;
        if (lost > MAX_LOST_ANSWERS) return refusedAlike(batch, answer);
        continue;
      }
      if (isSuccess(answer)) {
        this.vainPauses = 0;
        return outcomesOf(batch, answer.body);
      }
      const seconds = retryDelayOf(answer);
      if (seconds === null || (this.pause === null && this.vainPauses >= MAX_VAIN_PAUSES)) {
        return hasResults(answer.body)
          ? outcomesOf(batch, answer.body)
          : refusedAlike(batch, `${answer.status} ${detailOf(answer.body)}`);
      }
      this.pause ??= this.startPause(seconds, detailOf(answer.body));
    }
  }

  /** Returns the answer, or the reason why there is none. @throws DemoError when the service does not run any more */
  private async post(batch: readonly EventLine[], key: string): Promise<ApiAnswer | string> {
    const { client, apiKey } = this.options;
    const headers = { 'X-API-Key': apiKey, 'Idempotency-Key': key, 'Content-Type': 'application/x-ndjson' };
    try {
      const body = batch.map((line) => line.body).join('\n');
      return await client.exchange('POST', '/v1/events/ingest', { headers, body });
    } catch (error) {
      if (await client.isReady()) return `no answer, the event may or may not be stored: ${messageOf(error)}`;
      throw new DemoError(`The service no longer answers at ${client.baseUrl}: ${messageOf(error)}`);
    }
  }

  private async startPause(seconds: number, reason: string): Promise<void> {
    this.vainPauses += 1;
    this.options.onPause?.(seconds, reason);
    await (this.options.wait ?? delay)(seconds * 1000);
    this.pause = null;
  }
}

async function* batchesOf(events: AsyncIterable<EventLine>): AsyncGenerator<EventLine[], void, undefined> {
  let batch: EventLine[] = [];
  let characters = 0;
  for await (const event of events) {
    if (batch.length > 0 && (batch.length >= MOST_LINES || characters + event.body.length > MOST_CHARACTERS)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(event);
    characters += event.body.length;
  }
  if (batch.length > 0) yield batch;
}

/** Returns whether the answer has a result for each line. The refusal of a whole batch may have such results too. */
function hasResults(body: unknown): boolean {
  return isRecord(body) && Array.isArray(body.results);
}

/**
 * Returns the outcome of each line. In the answer, line numbers start at 1 in each request.
 * @throws DemoError when a line has no result
 */
function outcomesOf(batch: readonly EventLine[], body: unknown): LineOutcome[] {
  const results = listOf(isRecord(body) ? body.results : undefined);
  return batch.map(({ line }, index) => {
    const result = results[index];
    if (!isRecord(result) || result.line !== index + 1) throw new DemoError(`The service said nothing of line ${line}`);
    if (result.accepted === true) return { line, accepted: true };
    // `detail` is a list only when the body is invalid (422). Every other `detail` is a sentence.
    return { line, accepted: false, reason: `${Array.isArray(result.detail) ? '422 ' : ''}${detailOf(result)}` };
  });
}

function refusedAlike(batch: readonly EventLine[], reason: string): LineOutcome[] {
  return batch.map(({ line }) => ({ line, accepted: false, reason }));
}

/** Returns the seconds after which the same request may succeed, or null when repeating it is useless. */
function retryDelayOf({ status, headers, body }: ApiAnswer): number | null {
  // The first attempt is still running and will soon have an answer.
  if (status === 409 && detailOf(body).includes('in progress')) return 1;
  if (status !== 429 && status !== 503) return null;
  const retryAfter = headers.get('Retry-After');
  // An overloaded service recovers soon. A limit without `Retry-After` is a daily limit.
  if (retryAfter === null) return status === 503 ? 1 : null;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return seconds <= MAX_PAUSE_SECONDS ? Math.max(1, seconds) : null;
}
