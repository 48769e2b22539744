import type { CallOptions, EventStreamAnswer } from './contract.js';
import { ConnectionLost, dataOf } from './event-stream.js';
import { Refusal, UnexpectedAnswer } from './refusal.js';
import { backoffMs, pause } from './waiting.js';

interface Heartbeat {
  readonly type: 'heartbeat';
  readonly timestamp: number;
  readonly detail?: string;
}

export interface StreamOptions extends CallOptions {
  /** Silence after which a connection counts as lost: 30 seconds. The service says something every second. */
  readonly idleMs?: number | undefined;
  /** Told why a connection ended, before it is opened again; nothing: it came to its end. */
  readonly onReconnect?: ((cause: unknown) => void) | undefined;
  /** Told of each heartbeat; with `detail` the service says why it can read nothing now. */
  readonly onHeartbeat?: ((heartbeat: Heartbeat) => void) | undefined;
}

/** As many as the service begins a stream with. */
const REMEMBERED = 10_000;

/**
 * The messages of a stream, through restarts of the service and lost connections, until somebody stops reading, the signal
 * aborts, or the service refuses to open it. A connection begins with what is there already: what was read before comes
 * once, and what came between two connections is among it unless it was more than the service begins with.
 *
 *     for await (const { log } of stream(api.streamLogs, { query: { project_id } }, { signal })) log.endpoint;
 *
 * @throws of the first connection what the call rejects with, of later ones what will not pass by itself
 */
export async function* stream<Args, Message extends { readonly type: string }>(
  open: (args: Args, options?: CallOptions) => Promise<EventStreamAnswer<Message>>,
  args: Args,
  options: StreamOptions = {},
): AsyncGenerator<Told<Message>, void, undefined> {
  const { signal, onHeartbeat, onReconnect, idleMs = 30_000 } = options;
  const known = new Set<string>();
  let answer = await open(args, { signal });
  for (let tries = 0; ; tries += 1) {
    let cause: unknown;
    try {
      for await (const text of dataOf(bodyOf(answer), idleMs, signal)) {
        tries = 0;
        const message = JSON.parse(text) as Message;
        if (isHeartbeat(message)) onHeartbeat?.(message);
        else if (isNew(message, known)) yield message as Told<Message>;
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      cause = error;
    }
    for (let next: typeof answer | null = null; next === null;) {
      onReconnect?.(cause);
      await pause(backoffMs(tries), signal);
      next = await open(args, { signal }).catch((error: unknown) => {
        if (signal?.aborted === true || !isPassing(error)) throw error;
        cause = error;
        tries += 1;
        return null;
      });
      if (next !== null) answer = next;
    }
  }
}

type Told<Message> = Exclude<Message, { readonly type: 'heartbeat' }>;

function isHeartbeat(message: { readonly type: string }): message is Heartbeat {
  return message.type === 'heartbeat';
}

function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  if (body === null) throw new ConnectionLost('The stream has no body');
  return body;
}

/** What a restart or a limit refuses is taken later. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Refusal || error instanceof UnexpectedAnswer)) return true;
  return error.status === 429 || error.status >= 500;
}

/** The newest that were read are remembered, as many as may come again. */
function isNew(message: object, known: Set<string>): boolean {
  const key = keyOf(message);
  if (known.has(key)) return false;
  known.add(key);
  for (const oldest of known) {
    if (known.size <= REMEMBERED) break;
    known.delete(oldest);
  }
  return true;
}

/** Rows of events stay as they are; an alert event comes again with each change. */
function keyOf(message: object): string {
  const { type: _type, ...subjects } = message as Readonly<Record<string, unknown>>;
  const [subject] = Object.values(subjects) as Readonly<Record<string, unknown>>[];
  const { id, payload: _payload, ...others } = subject ?? {};
  const isAlertEvent = 'alert_event' in subjects;
  return isAlertEvent ? `${String(id)} ${JSON.stringify(others)}` : String(id);
}
