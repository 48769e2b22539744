import type { OnApplicationShutdown } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { within } from '../../../../platform/concurrency/index.js';
import { sha256Hex } from '../../../../platform/crypto/index.js';
import { OutcomeUnknown } from '../../../../platform/database/dedicated-connection.js';
import type { Sender } from '../../event-store/index.js';
import { ACCEPT_SCRIPT, RELEASE_SCRIPT } from './scripts.js';
import { isError } from '../../../../platform/errors/index.js';

/** The braces put all keys into one slot of a Redis cluster. */
const PREFIX = '{ingest}';
const STREAM = `${PREFIX}:requests`;
const BURIED = `${PREFIX}:buried`;
const GROUP = 'writers';
const MOST_ENTRIES = 200_000;
const COMMAND_LIMIT_MS = 3_000;
/**
 * The TTL of the set of an organization's entries that are being stored. Abandoned entries are taken over within
 * seconds, and an organization without entries needs no set.
 */
const WORK_IS_KEPT_S = 86_400;

/** A limit, and its use according to the counter in the database. */
export interface Counted {
  readonly limit: number | null;
  readonly used: number;
  /** How many accepted events had been stored at or before the time when `used` was read. */
  readonly stored: number;
}

export interface Acceptance {
  readonly payload: string;
  readonly events: number;
  readonly month: Counted;
  readonly day: Counted;
  /** Whether the month's requests are used up. */
  readonly requestsBlocked: boolean;
  /** Null without an `Idempotency-Key`. */
  readonly idempotency: { readonly key: string; readonly hash: string; readonly record: string } | null;
}

export type AcceptanceAnswer =
  | { readonly kind: 'ok'; readonly admitted: number; readonly ending: string }
  | { readonly kind: 'replay'; readonly record: string; readonly admitted: number; readonly ending: string }
  | { readonly kind: 'conflict' | 'overloaded' | 'again' | 'month' | 'requests' | 'day' };

export interface KnownAnswer {
  /** The hash of the request, in base64. */
  readonly hash: string;
  readonly record: string;
  readonly admitted: number;
  readonly ending: string;
}

/** How many accepted events have been stored, in the organization's month and in the source's day. */
export interface StoredCounts {
  readonly month: number;
  readonly day: number;
}

/** An entry of the stream. */
export interface Entry {
  readonly id: string;
  readonly payload: string;
  readonly admitted: number;
  readonly ending: string;
}

interface Scripts {
  acceptRequest(...parameters: (string | number)[]): Promise<[AcceptanceAnswer['kind'], ...(string | number)[]]>;
  releaseEntries(...parameters: (string | number)[]): Promise<null>;
}

interface Release {
  readonly entries: Entry[];
  readonly done: Promise<void>;
}

type Fields = string[];
type EntryReply = [id: string, fields: Fields | null];

/** The stream of accepted requests in Redis, with the counts that keep quotas exact while the stream is not empty. */
export class RequestStream implements OnApplicationShutdown {
  private readonly commands: Redis & Scripts;
  private readonly reader: Redis;
  private readonly opening = new Map<Redis, Promise<void>>();
  /** Releases that still collect entries, by the Redis keys that they change. */
  private readonly releases = new Map<string, Release>();

  constructor(url: string, onError: (error: Error) => void) {
    const connect = (options: RedisOptions): Redis => {
      const client = new Redis(url, {
        lazyConnect: true,
        enableOfflineQueue: false,
        // A command whose connection was lost may have been executed. Only the caller can decide whether to send it
        // again.
        autoResendUnfulfilledCommands: false,
        maxRetriesPerRequest: 0,
        retryStrategy: (times) => Math.min(times * 50, 1_000),
        ...options,
      });
      client.on('error', onError);
      client.defineCommand('acceptRequest', { numberOfKeys: 5, lua: ACCEPT_SCRIPT });
      client.defineCommand('releaseEntries', { numberOfKeys: 4, lua: RELEASE_SCRIPT });
      return client;
    };
    this.commands = connect({ enableAutoPipelining: true }) as Redis & Scripts;
    this.reader = connect({});
  }

  /** Returns the answer to a request with this idempotency key in the last 24 hours, or null. */
  async answerOf(sender: Sender, key: string): Promise<KnownAnswer | null> {
    const client = await this.connected(this.commands);
    const [hash, record, admitted, ending] = await inTime(
      client.hmget(answerKey(sender, key), ...(['hash', 'record', 'admitted', 'ending'] as const)),
    );
    if (typeof hash !== 'string' || typeof record !== 'string') return null;
    return { hash, record, admitted: Number(admitted), ending: ending ?? '' };
  }

  async stored(sender: Sender, day: string): Promise<StoredCounts> {
    const client = await this.connected(this.commands);
    const [month, today] = await Promise.all([
      inTime(client.hget(monthKey(sender, day), 'd')),
      inTime(client.hget(dayKey(sender, day), 'd')),
    ]);
    return { month: Number(month ?? 0), day: Number(today ?? 0) };
  }

  /**
   * Adds a request to the stream if the limits allow it.
   * @throws OutcomeUnknown when the command was sent but not answered; after any other error the request was not
   * accepted
   */
  async accept(sender: Sender, day: string, request: Acceptance): Promise<AcceptanceAnswer> {
    const client = await this.connected(this.commands);
    if (client.status !== 'ready') throw new Error(`the connection is ${client.status}`);
    const { month, day: today, idempotency } = request;
    const sent = client.acceptRequest(
      STREAM,
      monthKey(sender, day),
      dayKey(sender, day),
      idempotency === null ? `${PREFIX}:none` : answerKey(sender, idempotency.key),
      workKey(sender),
      request.payload,
      request.events,
      MOST_ENTRIES,
      ...[month, today].flatMap(({ limit, used, stored }) => [limit ?? '', used, stored]),
      idempotency?.hash ?? '',
      idempotency?.record ?? '',
      Number(request.requestsBlocked),
    );
    const [kind, ...rest] = await inTime(sent).catch((error: unknown) => {
      if (isError(error) && error.name === 'ReplyError') throw error;
      throw new OutcomeUnknown('Redis did not say whether it took the request', { cause: error });
    });
    if (kind === 'ok') return { kind, admitted: Number(rest[0]), ending: String(rest[1]) };
    if (kind === 'replay') {
      return { kind, record: String(rest[0]), admitted: Number(rest[1]), ending: String(rest[2]) };
    }
    return { kind };
  }

  /** Returns new entries that no consumer has read. Waits up to `blockMs` for the first one. */
  async read(consumer: string, most: number, blockMs: number): Promise<Entry[]> {
    const client = await this.connected(this.reader);
    const replies = await client.xreadgroup(
      ...(['GROUP', GROUP, consumer, 'COUNT', most, 'BLOCK', blockMs, 'STREAMS', STREAM, '>'] as const),
    );
    return entriesOf(replies?.[0]?.[1] ?? []);
  }

  /** Takes over entries that another consumer has held for at least `idleMs` without releasing them. */
  async claim(consumer: string, most: number, idleMs: number): Promise<Entry[]> {
    const client = await this.connected(this.commands);
    const [, replies] = (await inTime(client.xautoclaim(STREAM, GROUP, consumer, idleMs, '0-0', 'COUNT', most))) as [
      string,
      (EntryReply | null)[],
    ];
    return entriesOf(replies.filter((reply) => reply !== null));
  }

  /**
   * Marks entries as being stored. Must be called before the first of them is written to the database. Until an entry
   * is released, it is unknown whether the database already counts its events.
   */
  async begin(work: readonly { readonly entry: Entry; readonly sender: Sender }[]): Promise<void> {
    const client = await this.connected(this.commands);
    const ids = new Map<string, string[]>(work.map(({ sender }) => [workKey(sender), []]));
    for (const { entry, sender } of work) ids.get(workKey(sender))?.push(entry.id);
    const pipeline = client.pipeline();
    for (const [key, its] of ids) pipeline.sadd(key, ...its).expire(key, WORK_IS_KEPT_S);
    for (const [error] of (await inTime(pipeline.exec())) ?? []) if (error !== null) throw error;
  }

  /**
   * Releases an entry whose events are stored. Entries that are stored with one batch are released with one command.
   */
  release(entry: Entry, sender: Sender, acceptedAt: Date): Promise<void> {
    const day = acceptedAt.toISOString().slice(0, 10);
    const keys = [STREAM, monthKey(sender, day), dayKey(sender, day), workKey(sender)];
    const name = keys.join(' ');
    const release = this.releases.get(name) ?? this.newRelease(name, keys);
    release.entries.push(entry);
    return release.done;
  }

  /** Starts a release of the entries that are added until the next turn of the event loop. */
  private newRelease(name: string, keys: readonly string[]): Release {
    const entries: Entry[] = [];
    const done = nextTurn().then(async () => {
      this.releases.delete(name);
      const client = await this.connected(this.commands);
      await inTime(client.releaseEntries(...keys, GROUP, ...entries.flatMap(({ id, admitted }) => [id, admitted])));
    });
    const release = { entries, done };
    this.releases.set(name, release);
    return release;
  }

  /**
   * Moves an entry that cannot be stored to the dead letters, for an operator to inspect. The sender is null when the
   * entry cannot be decoded.
   */
  async bury(entry: Entry, sender: Sender | null, reason: string): Promise<void> {
    const client = await this.connected(this.commands);
    const { id, payload, admitted, ending } = entry;
    const burial = client.multi();
    if (sender !== null) burial.srem(workKey(sender), id);
    burial
      .xadd(BURIED, '*', 'entry', id, 'request', payload, 'admitted', admitted, 'ending', ending, 'reason', reason)
      .xack(STREAM, GROUP, id)
      .xdel(STREAM, id);
    await inTime(burial.exec());
  }

  /** Creates the stream and the consumer group if they do not exist. */
  async prepare(): Promise<void> {
    const client = await this.connected(this.commands);
    await inTime(client.xgroup('CREATE', STREAM, GROUP, '0', 'MKSTREAM')).catch((error: unknown) => {
      if (!(isError(error) && error.message.includes('BUSYGROUP'))) throw error;
    });
  }

  /** Deletes consumers that have been idle for more than `idleMs` and hold no entries: their processes have ended. */
  async forgetConsumers(idleMs: number): Promise<void> {
    const client = await this.connected(this.commands);
    const consumers = (await inTime(client.xinfo('CONSUMERS', STREAM, GROUP))) as (string | number)[][];
    for (const fields of consumers) {
      const of = (name: string): string | number => fields[fields.indexOf(name) + 1] ?? '';
      if (of('pending') === 0 && Number(of('idle')) > idleMs) {
        await inTime(client.xgroup('DELCONSUMER', STREAM, GROUP, String(of('name'))));
      }
    }
  }

  /** Returns the number of requests that wait to be stored. */
  async length(): Promise<number> {
    return inTime((await this.connected(this.commands)).xlen(STREAM));
  }

  /** Returns whether Redis persists its data (`appendonly`), or null when Redis does not report this. */
  async isDurable(): Promise<boolean | null> {
    const client = await this.connected(this.commands);
    const answer = (await inTime(client.config('GET', 'appendonly')).catch(() => [])) as string[];
    return answer[1] === undefined ? null : answer[1] === 'yes';
  }

  onApplicationShutdown(): void {
    this.reader.disconnect();
    this.commands.disconnect();
  }

  /** Waits only for the first connection. After that, commands are refused at once while Redis is unavailable. */
  private async connected<Client extends Redis>(client: Client): Promise<Client> {
    if (client.status === 'wait') this.opening.set(client, client.connect());
    if (client.status === 'connecting' || client.status === 'connect') await this.opening.get(client);
    return client;
  }
}

/**
 * Returns the answer of a command, and rejects after `COMMAND_LIMIT_MS`. The command may have been executed even then.
 */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return within(COMMAND_LIMIT_MS, answer, () => new Error('Redis did not answer in time'));
}

function monthKey({ organizationId }: Sender, day: string): string {
  return `${PREFIX}:month:${organizationId}:${day.slice(0, 7)}`;
}

function dayKey({ projectId, sourceId }: Sender, day: string): string {
  return `${PREFIX}:day:${projectId}:${sourceId ?? '-'}:${day}`;
}

/** The key of the set of the organization's entries that are being stored. */
function workKey({ organizationId }: Sender): string {
  return `${PREFIX}:work:${organizationId}`;
}

function answerKey({ apiKeyId }: Sender, key: string): string {
  return `${PREFIX}:key:${apiKeyId}:${sha256Hex(key)}`;
}

function entriesOf(replies: readonly EntryReply[]): Entry[] {
  return replies.flatMap(([id, fields]) => {
    if (fields === null) return [];
    const of = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
    return [{ id, payload: of('request'), admitted: Number(of('admitted')), ending: of('ending') }];
  });
}
