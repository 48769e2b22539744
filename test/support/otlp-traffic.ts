import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { logsWith, otlpBody, PROTOBUF, sendOtlp } from './otlp.js';

const RETRY_MS = 50;
const RETRYABLE = [429, 503];

/** The limits that this traffic needs, for `RATE_LIMIT_OVERRIDES`. */
export const OTLP_LIMITS = 'intake=100000/100000,auth-login=100000,auth-register=100000';

export interface OtlpTrafficOptions {
  /** The present address of the service. */
  readonly url: () => string;
  readonly apiKey: string;
  readonly senders: number;
  readonly recordsOfBatch: number;
  /** The pause of a sender between two batches, which leaves the service to other traffic. */
  readonly pauseMs: number;
}

/**
 * Senders that each send one batch of log records after another. As a collector does, a sender repeats the same bytes
 * until they are answered with 200, also while the service is down.
 */
export class OtlpTraffic {
  /** The messages of the records that were answered with 200. */
  readonly accepted: string[] = [];
  readonly over: Promise<void>;
  /** The number of batches that were answered with 200. */
  batches = 0;
  private isStopping = false;
  private wake: () => void = () => undefined;

  constructor(private readonly options: OtlpTrafficOptions) {
    this.over = Promise.all(Array.from({ length: options.senders }, (_, sender) => this.run(sender))).then(
      () => undefined,
    );
  }

  /** Waits until this many batches were answered with 200. */
  async hasAccepted(batches: number): Promise<void> {
    const enough = async (): Promise<void> => {
      while (this.batches < batches) await new Promise<void>((resolve) => (this.wake = resolve));
    };
    await Promise.race([enough(), this.over]);
  }

  /** Lets every sender finish its batch. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.over;
  }

  private async run(sender: number): Promise<void> {
    const { recordsOfBatch, pauseMs } = this.options;
    for (let batch = 0; !this.isStopping; batch += 1) {
      const messages = Array.from({ length: recordsOfBatch }, (_, record) => `${sender} ${batch} ${record}`);
      const bytes = otlpBody('logs', logsWith(...messages), PROTOBUF);
      while (!(await this.isTaken(bytes))) await delay(RETRY_MS);
      this.accepted.push(...messages);
      this.batches += 1;
      this.wake();
      await delay(pauseMs);
    }
  }

  /** @throws Error for an answer after which exporters do not try again */
  private async isTaken(bytes: Buffer): Promise<boolean> {
    const { url, apiKey } = this.options;
    const headers = { 'Content-Type': PROTOBUF, 'x-api-key': apiKey };
    // The connection fails while the service is down.
    const answer = await sendOtlp('logs', bytes, headers, url()).catch(() => null);
    if (answer === null || RETRYABLE.includes(answer.status)) return false;
    if (answer.status === 200) return true;
    throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

/** Returns the messages of all stored events, sorted, and the number of counted events. */
export async function storedMessages(databaseUrl: string): Promise<{ messages: string[]; counted: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ messages: string[]; counted: number }>(
      `SELECT (SELECT coalesce(json_agg(message), '[]') FROM events) AS messages,
              (SELECT coalesce(sum(events_ingested), 0)::int FROM usage_daily) AS counted`,
    );
    const { messages = [], counted = 0 } = rows[0] ?? {};
    return { messages: messages.sort(), counted };
  } finally {
    await client.end();
  }
}
