import { setTimeout as sleep } from 'node:timers/promises';
import { asPerson, projectOf, type RemoteOptions } from './connection.js';
import { CommandFailure, EXIT, printable, Refusal } from './failure.js';
import type { Api } from './http.js';
import { eventRow, logRow, type Row } from './rows.js';
import { frames } from './server-sent-events.js';

export interface TailOptions extends RemoteOptions {
  readonly logs?: boolean;
  readonly new?: boolean;
  readonly event?: string;
  readonly source?: string;
  readonly severity?: string;
  readonly status?: string;
  readonly environment?: string;
  readonly method?: string;
  readonly endpoint?: string;
}

const FILTERS = {
  events: ['event', 'source', 'severity', 'status', 'environment'],
  logs: ['method', 'endpoint', 'status'],
} as const;

/** The service sends a heartbeat each second, so a connection without one for this long is lost. */
const SILENCE_MS = 30_000;
const LONGEST_WAIT_MS = 10_000;
/** Number of remembered ids. An event whose id is remembered is not shown again after a new connection. */
const REMEMBERED = 20_000;

/** Follows the events or the log rows of a project until it is interrupted. @returns the exit code */
export async function tail(options: TailOptions, environment: NodeJS.ProcessEnv): Promise<number> {
  const kind = options.logs ? 'logs' : 'events';
  const stray = [...FILTERS.events, ...FILTERS.logs].find(
    (name) => options[name] !== undefined && !(FILTERS[kind] as readonly string[]).includes(name),
  );
  if (stray !== undefined) throw new CommandFailure(`--${stray} does not filter ${kind}`, EXIT.usage);
  const api = await asPerson(options, environment);
  const projectId = await projectOf(api, options, environment);
  const end = new AbortController();
  const stop = (): void => end.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    await new Tail(api, projectId, options, end.signal).follow();
  } finally {
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
  }
  return EXIT.done;
}

/** The compiler does not know that the signal changes during a wait. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

interface Message {
  readonly type: string;
  readonly event?: Row;
  readonly log?: Row;
}

class Tail {
  private readonly seen = new Set<string>();
  private lastEventId: string | undefined;
  /**
   * The time of the service at the first connection. With `--new`, stored events from before this time are not shown.
   */
  private since: string | undefined;

  constructor(
    private readonly api: Api,
    private readonly projectId: string,
    private readonly options: TailOptions,
    private readonly end: AbortSignal,
  ) {}

  async follow(): Promise<void> {
    for (let failures = 0; !this.end.aborted; failures++) {
      try {
        for await (const message of this.connection()) {
          failures = 0;
          this.show(message);
        }
      } catch (error) {
        if (isAborted(this.end)) return;
        // A server error or a rate limit may be temporary. Any other refusal, for example of a missing project, is
        // permanent.
        if (error instanceof Refusal && error.status < 500 && error.status !== 429) throw error;
        if (failures === 0) process.stderr.write(`${(error as Error).message}. Connecting again.\n`);
      }
      await sleep(Math.min(250 * 2 ** failures, LONGEST_WAIT_MS), undefined, { signal: this.end }).catch(
        () => undefined,
      );
    }
  }

  private async *connection(): AsyncGenerator<Message> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new CommandFailure('The stream fell silent')), SILENCE_MS);
    try {
      const response = await this.api.open(
        {
          method: 'GET',
          path: this.options.logs ? '/v1/logs/stream' : '/v1/events/stream',
          query: { project_id: this.projectId },
          headers: { ...(this.lastEventId !== undefined && { 'last-event-id': this.lastEventId }) },
        },
        AbortSignal.any([this.end, silence.signal]),
      );
      const { headers } = response;
      this.since ??= new Date(headers.get('date') ?? Date.now()).toISOString();
      for await (const { id, data } of frames(response)) {
        timer.refresh();
        yield JSON.parse(data) as Message;
        this.lastEventId = id ?? this.lastEventId;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private show({ event, log }: Message): void {
    const row = event ?? log;
    if (row === undefined) return;
    const id = String(row.id);
    if (this.seen.has(id)) return;
    this.seen.add(id);
    for (const oldest of this.seen) {
      if (this.seen.size <= REMEMBERED) break;
      this.seen.delete(oldest);
    }
    if (!this.fits(row)) return;
    process.stdout.write(
      this.options.json
        ? `${JSON.stringify(row)}\n`
        : `${(event ? eventRow : logRow)(row).map(printable).join('  ')}\n`,
    );
  }

  private fits(row: Row): boolean {
    if (this.options.new && String(row.timestamp) < (this.since ?? '')) return false;
    const names = this.options.logs ? FILTERS.logs : FILTERS.events;
    return names.every((name) => this.options[name] === undefined || String(row[name]) === this.options[name]);
  }
}
