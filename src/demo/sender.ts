import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiAnswer, type ApiClient, detailOf, isRecord, isSuccess, listOf } from './api-client.js';
import { DemoError, messageOf } from './demo-error.js';

/** One ingestion body as JSON text, without line feeds. */
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
  /** Requests under way at a time. */
  readonly concurrency: number;
  /** Told once whenever the service asks all of us to wait. */
  readonly onPause?: (seconds: number, reason: string) => void;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Within what the service takes in one request, so that progress shows. */
const MOST_LINES = 500;
const MOST_CHARACTERS = 1_000_000;
/** Longer waits are quotas of a day or a month, not worth staying for. */
const MAX_PAUSE_SECONDS = 120;
/** After so many pauses without one event accepted in between, a refusal is taken as final. */
const MAX_VAIN_PAUSES = 5;
/** An answer that got lost is asked for again: with the same key the service stores nothing twice. */
const MAX_LOST_ANSWERS = 3;

/** Sends events as batches of lines, each with an idempotency key of its own. */
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
      const seconds = pauseAskedFor(answer);
      if (seconds === null || (this.pause === null && this.vainPauses >= MAX_VAIN_PAUSES)) {
        return refusedAlike(batch, `${answer.status} ${detailOf(answer.body)}`);
      }
      this.pause ??= this.startPause(seconds, detailOf(answer.body));
    }
  }

  /** The answer, or why there is none although the service is still there. */
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

/** The service counts the lines of the request from 1. @throws DemoError when it leaves one out */
function outcomesOf(batch: readonly EventLine[], body: unknown): LineOutcome[] {
  const results = listOf(isRecord(body) ? body.results : undefined);
  return batch.map(({ line }, index) => {
    const result = results[index];
    if (!isRecord(result) || result.line !== index + 1) throw new DemoError(`The service said nothing of line ${line}`);
    if (result.accepted === true) return { line, accepted: true };
    // Only a faulty body is told in rows; anything else is a sentence.
    return { line, accepted: false, reason: `${Array.isArray(result.detail) ? '422 ' : ''}${detailOf(result)}` };
  });
}

function refusedAlike(batch: readonly EventLine[], reason: string): LineOutcome[] {
  return batch.map(({ line }) => ({ line, accepted: false, reason }));
}

/** Seconds after which the same request may succeed; null when repeating it is no use. */
function pauseAskedFor({ status, headers, body }: ApiAnswer): number | null {
  // The first try is still at work: its answer comes in a moment.
  if (status === 409 && detailOf(body).includes('in progress')) return 1;
  if (status !== 429 && status !== 503) return null;
  const asked = headers.get('Retry-After');
  // An overloaded service recovers; a limit that names no time is one of a day.
  if (asked === null) return status === 503 ? 1 : null;
  const seconds = /^\d+$/.test(asked) ? Number(asked) : Math.ceil((Date.parse(asked) - Date.now()) / 1000);
  return seconds <= MAX_PAUSE_SECONDS ? Math.max(1, seconds) : null;
}
