import { setTimeout as delay } from 'node:timers/promises';
import { type ApiAnswer, type ApiClient, detailOf, isSuccess } from './api-client.js';
import { DemoError, messageOf } from './demo-error.js';

/** One ingestion body as JSON text. */
export interface EventLine {
  readonly line: number;
  readonly body: string;
}

export type LineOutcome =
  | { readonly line: number; readonly accepted: true }
  | { readonly line: number; readonly accepted: false; readonly reason: string };

/** A way to bring events to the service. */
export interface EventSender {
  /** Resolves when every event has its outcome. @throws DemoError when the service stops answering */
  send(events: AsyncIterable<EventLine>, report: (outcome: LineOutcome) => void): Promise<void>;
}

export interface SenderOptions {
  readonly client: ApiClient;
  readonly apiKey: string;
  /** Requests under way at a time. */
  readonly concurrency: number;
  /** Told once whenever the service asks all of us to wait. */
  readonly onPause?: (seconds: number, reason: string) => void;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Longer waits are quotas of a day or a month, not worth staying for. */
const MAX_PAUSE_SECONDS = 120;
/** After so many pauses without one event accepted in between, a refusal is taken as final. */
const MAX_VAIN_PAUSES = 5;

/** Sends every event as a request of its own. */
export class SingleEventSender implements EventSender {
  private pause: Promise<void> | null = null;
  private vainPauses = 0;

  constructor(private readonly options: SenderOptions) {}

  async send(events: AsyncIterable<EventLine>, report: (outcome: LineOutcome) => void): Promise<void> {
    const queue = events[Symbol.asyncIterator]();
    let failed = false;
    const worker = async (): Promise<void> => {
      while (!failed) {
        const next = await queue.next();
        if (next.done === true) return;
        report(await this.sendOne(next.value));
      }
    };
    const workers = Array.from({ length: this.options.concurrency }, () =>
      worker().catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    );
    const results = await Promise.allSettled(workers);
    await queue.return?.();
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  private async sendOne({ line, body }: EventLine): Promise<LineOutcome> {
    for (;;) {
      if (this.pause !== null) await this.pause;
      const answer = await this.post(body);
      if (typeof answer === 'string') return { line, accepted: false, reason: answer };
      if (isSuccess(answer)) {
        this.vainPauses = 0;
        return { line, accepted: true };
      }
      const seconds = pauseAskedFor(answer);
      if (seconds === null || (this.pause === null && this.vainPauses >= MAX_VAIN_PAUSES)) {
        return { line, accepted: false, reason: `${answer.status} ${detailOf(answer.body)}` };
      }
      this.pause ??= this.startPause(seconds, detailOf(answer.body));
    }
  }

  /** The answer, or why there is none although the service is still there. */
  private async post(body: string): Promise<ApiAnswer | string> {
    const { client, apiKey } = this.options;
    try {
      return await client.exchange('POST', '/v1/events/ingest', { headers: { 'X-API-Key': apiKey }, body });
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

/** Seconds after which the same request may succeed; null when repeating it is no use. */
function pauseAskedFor({ status, headers }: ApiAnswer): number | null {
  if (status !== 429 && status !== 503) return null;
  const asked = headers.get('Retry-After');
  // An overloaded service recovers; a limit that names no time is one of a day.
  if (asked === null) return status === 503 ? 1 : null;
  const seconds = /^\d+$/.test(asked) ? Number(asked) : Math.ceil((Date.parse(asked) - Date.now()) / 1000);
  return seconds <= MAX_PAUSE_SECONDS ? Math.max(1, seconds) : null;
}
