import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf, keyFor, type RemoteOptions } from './connection.js';
import { batchesOf, type EventLine, eventLines } from './event-lines.js';
import { CommandFailure, EXIT, sentenceOf } from './failure.js';
import { type Answer, exchange, refusalOf, retryAfter, Unreachable } from './http.js';

export interface SendOptions extends RemoteOptions {
  readonly live?: boolean;
  /** Names this run. A run with the same id and input continues it: the service stores each batch once. */
  readonly runId?: string;
}

/** With `--live`, a line waits at most this long for further lines of its batch. */
const LIVE_WAIT_MS = 500;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** How long one batch is tried while the service gives no decision. */
const GIVE_UP_AFTER_MS = 5 * 60_000;

/** Maximum number of refused lines that are reported one by one. Further ones are only counted. */
const MOST_REFUSALS = 1_000;

interface RefusedLine {
  readonly file: string;
  readonly line: number;
  readonly detail: string;
}

interface BatchAnswer {
  readonly duplicate?: true;
  readonly results?: readonly { readonly line: number; readonly accepted: boolean; readonly detail?: unknown }[];
}

/**
 * Sends the events of files, or of the standard input.
 * @returns the exit code: 1 if an event was refused, or if the run was interrupted without `--live`
 */
export async function send(
  files: readonly string[],
  options: SendOptions,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const address = await addressOf(options, environment);
  const key = await keyFor(address, options, environment);
  const run = new SendRun(address, key, options.runId ?? randomUUID());
  let isCut = true;
  try {
    for (const file of files.length > 0 ? files : ['-']) {
      const input = file === '-' ? process.stdin : createReadStream(file);
      const stop = (): void => {
        run.isInterrupted = true;
        input.destroy();
      };
      process.once('SIGINT', stop);
      try {
        await run.sendFile(file, input, options.live ? LIVE_WAIT_MS : Infinity);
      } finally {
        process.removeListener('SIGINT', stop);
      }
      if (run.isInterrupted) break;
    }
    isCut = run.isInterrupted;
  } finally {
    run.report(options, isCut);
  }
  return run.refused > 0 || (isCut && !options.live) ? EXIT.failed : EXIT.done;
}

class SendRun {
  refused = 0;
  isInterrupted = false;
  /** The first refused lines. */
  private readonly refusals: RefusedLine[] = [];
  private accepted = 0;
  private duplicate = 0;
  private batches = 0;

  constructor(
    private readonly address: string,
    private readonly key: string,
    private readonly id: string,
  ) {}

  async sendFile(file: string, input: Readable, waitMs: number): Promise<void> {
    for await (const batch of batchesOf(readable(file, eventLines(input)), waitMs)) {
      // The last batch of an interrupted file is shorter than in a complete run, so a later run could not repeat it.
      if (this.isInterrupted && waitMs === Infinity) return;
      await this.sendBatch(file, batch, `${this.id}-${++this.batches}`);
    }
  }

  /** Sends a batch until the service has decided on it. A batch that is too large is sent in halves. */
  private async sendBatch(file: string, batch: readonly EventLine[], idempotencyKey: string): Promise<void> {
    const answer = await this.decision(batch, idempotencyKey, batch[0]?.place ?? 0);
    const { results, duplicate } = (answer.body ?? {}) as BatchAnswer;
    if (results !== undefined) {
      for (const { line, accepted, detail } of results) {
        if (!accepted) this.refuse({ file, line: batch[line - 1]?.place ?? 0, detail: sentenceOf(detail) });
        else if (duplicate) this.duplicate++;
        else this.accepted++;
      }
    } else if (answer.status === 413 && batch.length > 1) {
      const middle = Math.ceil(batch.length / 2);
      await this.sendBatch(file, batch.slice(0, middle), `${idempotencyKey}a`);
      await this.sendBatch(file, batch.slice(middle), `${idempotencyKey}b`);
    } else if (answer.status === 413) {
      this.refuse({ file, line: batch[0]?.place ?? 0, detail: sentenceOf(refusalOf(answer).detail) });
    } else {
      // The key, the project or the account is refused, so every further batch would be refused as well.
      throw new CommandFailure(`From ${file} line ${batch[0]?.place ?? 0}: ${refusalOf(answer).message}`);
    }
  }

  private refuse(line: RefusedLine): void {
    this.refused++;
    if (this.refusals.length < MOST_REFUSALS) this.refusals.push(line);
  }

  /**
   * Returns the answer that decides on a batch. Repeats the request with the same key until the service gives such an
   * answer.
   */
  private async decision(batch: readonly EventLine[], idempotencyKey: string, place: number): Promise<Answer> {
    const body = batch.map(({ text }) => `${text}\n`).join('');
    const headers = {
      'content-type': 'application/x-ndjson',
      'x-api-key': this.key,
      'idempotency-key': idempotencyKey,
    };
    const givesUpAt = Date.now() + GIVE_UP_AFTER_MS;
    for (let tries = 0; ; tries++) {
      let reason: string;
      let asked: number | undefined;
      try {
        const answer = await exchange(this.address, { method: 'POST', path: '/v1/events/ingest', headers, body });
        const hasResults = (answer.body as BatchAnswer | undefined)?.results !== undefined;
        if (hasResults || !mayBeRepeated(answer)) return answer;
        reason = refusalOf(answer).message;
        asked = retryAfter(answer.headers);
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        reason = error.message;
      }
      const wait = asked === undefined ? Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS) : asked * 1000;
      if (Date.now() + wait > givesUpAt) {
        throw new CommandFailure(`Line ${place} and those behind it may not be stored. ${reason}`);
      }
      await sleep(wait);
    }
  }

  report({ json, live }: SendOptions, isCut: boolean): void {
    const { accepted, duplicate, refused, refusals, id } = this;
    if (json) {
      process.stdout.write(`${JSON.stringify({ accepted, duplicate, refused, refusals, run_id: id })}\n`);
    } else {
      for (const { file, line, detail } of refusals) process.stderr.write(`${file}:${line}: ${detail}\n`);
      process.stdout.write(`${accepted} accepted, ${duplicate} duplicate, ${refused} refused\n`);
    }
    if (isCut && !live) {
      process.stderr.write(`Repeat the command with --run-id ${id}: stored events are then counted as duplicate.\n`);
    }
  }
}

/** A 409 means that the request with this key is still running, or that the key was used with other content. */
function mayBeRepeated({ status, body }: Answer): boolean {
  if (status === 409) return sentenceOf((body as { detail?: unknown } | undefined)?.detail).endsWith('in progress');
  return status === 408 || status === 429 || status >= 500;
}

/** Passes the lines on. @throws {CommandFailure} if the file cannot be read */
async function* readable(file: string, lines: AsyncIterable<EventLine>): AsyncGenerator<EventLine> {
  try {
    yield* lines;
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    // An interruption destroys the input, which ends the stream early.
    if (code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    throw new CommandFailure(`${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}`);
  }
}
