import type { Readable } from 'node:stream';
import type { ClickHouseClient, ClickHouseSettings as QuerySettings, QueryParams, ResultSet } from '@clickhouse/client';
import type { ClickHouseSettings } from '../../config/index.js';
import { isClosedUnanswered, SilentServer } from './clickhouse-errors.js';

/** Longer than any statement of ours may take: a server that hangs is given up. */
const LIMIT_MS = 60_000;
/**
 * Of a process: what copies and keeps the tables, eight quick reads, eight of the newest hours, eight of old events, four quick ones of searches, and two long ones,
 * each with another statement beside its first.
 */
const MOST_CONNECTIONS = 34;
/** Of one read: beyond the first it goes on by the disk, beyond the second it fails. */
const MUCH_MEMORY_BYTES = 536_870_912;
const MOST_MEMORY_BYTES = 2_147_483_648;
/**
 * Of the text of one read, whose conditions may be long. How many elements a server takes of it stays as it is: it ends nothing
 * in time before it has understood the statement, and for more of them that takes longer than a read may.
 */
const MOST_CHARACTERS = 16_777_216;
/** Of rows that are read together. */
const BOUNDED_ANSWER: QuerySettings = { max_result_bytes: '67108864', result_overflow_mode: 'throw' };
/** How long a server may take to say that the time is over. */
const GRACE_MS = 2_000;
/** Rows come as an array, since those of an answer that has broken off are not to be taken for all, and an error for none of them. */
const WHOLE: QuerySettings = { output_format_json_array_of_rows: 1, http_write_exception_in_output_format: 0 };
const [BEGIN, END] = ['[', ']'];

export type { QuerySettings };

export interface Insert {
  readonly table: string;
  /** In the order of the body. */
  readonly columns: readonly [string, ...string[]];
  /** Lines of `TabSeparated`, as bytes. */
  readonly body: Readable;
  readonly settings: QuerySettings;
  /** Until it is acknowledged. */
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

type Question = Pick<QueryParams, 'query' | 'query_params' | 'abort_signal' | 'clickhouse_settings'>;

/** What one read may take. */
export interface ReadBounds {
  readonly milliseconds: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Beside those of its bounds. */
  readonly settings?: QuerySettings;
}

/** The HTTP interface of a ClickHouse server; its client is loaded when one is configured. */
export class ClickHouse {
  private constructor(
    private readonly client: ClickHouseClient,
    readonly database: string,
    readonly cluster: string | undefined,
  ) {}

  /** Asks nothing of the server yet. */
  static async open({ url, user, password, database, cluster }: ClickHouseSettings): Promise<ClickHouse> {
    const { ClickHouseLogLevel, createClient } = await import('@clickhouse/client');
    const client = createClient({
      url,
      username: user,
      password,
      application: 'operational-event-service',
      request_timeout: LIMIT_MS,
      max_open_connections: MOST_CONNECTIONS,
      // A process that stood still for seconds would go on with connections that the server has closed meanwhile.
      keep_alive: { eagerly_destroy_stale_sockets: true },
      // Who gets an error tells of it.
      log: { level: ClickHouseLogLevel.OFF },
    });
    return new ClickHouse(client, database, cluster);
  }

  /** What was acknowledged is seen on whichever replica is asked. */
  private get consistency(): QuerySettings {
    return this.cluster === undefined ? {} : { select_sequential_consistency: '1' };
  }

  /**
   * Of a statement that begins with SELECT.
   * @throws the server's error, whose `code` is its number, or that of the connection; also where the answer has no end
   */
  async rows<Row>(
    sql: string,
    parameters: Readonly<Record<string, unknown>> = {},
    settings: QuerySettings = {},
  ): Promise<Row[]> {
    const result = await this.ask({
      query: sql,
      query_params: { ...parameters },
      clickhouse_settings: settings,
    });
    return allOf(rowsOf<Row>(result));
  }

  /**
   * As {@link rows}, within a bound of memory and time.
   * @throws as {@link rows}, where `isTooMuch` knows what went beyond a bound, and SilentServer when no answer comes
   */
  async read<Row>(sql: string, parameters: Readonly<Record<string, unknown>>, bounds: ReadBounds): Promise<Row[]> {
    const settings = { ...BOUNDED_ANSWER, ...bounds.settings };
    return allOf(await this.bounded<Row>(sql, parameters, { ...bounds, settings }));
  }

  /** As {@link read}, some rows at a time; the server is told when no others are wanted. */
  async *stream<Row>(
    sql: string,
    parameters: Readonly<Record<string, unknown>>,
    bounds: ReadBounds,
  ): AsyncGenerator<Row[], void> {
    yield* await this.bounded<Row>(sql, parameters, bounds);
  }

  private async bounded<Row>(
    query: string,
    parameters: Readonly<Record<string, unknown>>,
    { milliseconds, signal, settings }: ReadBounds,
  ): Promise<AsyncGenerator<Row[], void>> {
    // The client would ask all the same.
    signal?.throwIfAborted();
    const silenceMs = milliseconds + GRACE_MS;
    const silence = AbortSignal.timeout(silenceMs);
    const asked = this.ask({
      query,
      query_params: { ...parameters },
      abort_signal: signal === undefined ? silence : AbortSignal.any([signal, silence]),
      clickhouse_settings: {
        max_execution_time: milliseconds / 1_000,
        timeout_overflow_mode: 'throw',
        max_memory_usage: String(MOST_MEMORY_BYTES),
        max_query_size: String(MOST_CHARACTERS),
        max_bytes_before_external_group_by: String(MUCH_MEMORY_BYTES),
        max_bytes_before_external_sort: String(MUCH_MEMORY_BYTES),
        // Nobody waits for what is asked by somebody who has left; the server ends only what says that it changes nothing.
        readonly: '2',
        cancel_http_readonly_queries_on_client_close: 1,
        output_format_json_quote_64bit_integers: 0,
        ...settings,
      },
    });
    const result = await asked.catch((error: unknown) => {
      throw silence.aborted ? new SilentServer() : error;
    });
    return attended<Row>(result, silenceMs, signal);
  }

  /**
   * Once more where the connection ended before anything was said: a server closes those that lie idle, also at the moment
   * when one is used again. A statement that reads may be carried out twice.
   */
  private async ask(question: Question): Promise<ResultSet<'JSONEachRow'>> {
    const query = {
      ...question,
      format: 'JSONEachRow',
      clickhouse_settings: { ...WHOLE, ...this.consistency, ...question.clickhouse_settings },
    } as const;
    try {
      return await this.client.query(query);
    } catch (error) {
      if (!isClosedUnanswered(error) || question.abort_signal?.aborted === true) throw error;
      return this.client.query(query);
    }
  }

  /** @throws as {@link rows} */
  async command(sql: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.client.command({ query: sql, query_params: { ...parameters } });
  }

  /**
   * Resolves when the server has acknowledged it.
   * @throws as {@link rows}, what the body fails with, and SilentServer when no answer comes
   */
  async insert({ table, columns, body, settings, milliseconds, signal }: Insert): Promise<void> {
    signal.throwIfAborted();
    const silence = AbortSignal.timeout(milliseconds + GRACE_MS);
    const silent = new SilentServer();
    // Whoever writes the body is told so, too, and before the request ends it.
    const giveUp = (): void => void body.destroy(silent);
    silence.addEventListener('abort', giveUp);
    try {
      await this.client.insert({
        table,
        columns: [...columns] as [string, ...string[]],
        values: body,
        format: 'TabSeparated',
        clickhouse_settings: { max_execution_time: milliseconds / 1_000, ...settings },
        abort_signal: AbortSignal.any([signal, silence]),
      });
    } catch (error) {
      throw silence.aborted ? silent : error;
    } finally {
      silence.removeEventListener('abort', giveUp);
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

async function allOf<Row>(some: AsyncIterable<Row[]>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const rows of some) for (const row of rows) all.push(row);
  return all;
}

/**
 * The client goes by a signal until the answer begins; here it goes on. While rows are waited for the server is to say something
 * in time; how long others take for what it said is not its fault.
 */
async function* attended<Row>(
  result: ResultSet<'JSONEachRow'>,
  silenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Row[], void> {
  const rows = rowsOf<Row>(result);
  let silent: SilentServer | undefined;
  const leave = (): void => result.close();
  signal?.addEventListener('abort', leave);
  try {
    if (signal?.aborted === true) leave();
    for (;;) {
      const silence = setTimeout(() => {
        silent = new SilentServer();
        leave();
      }, silenceMs);
      const next = await rows.next().finally(() => clearTimeout(silence));
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    throw silent ?? error;
  } finally {
    signal?.removeEventListener('abort', leave);
    await rows.return();
  }
}

/** The client gives lines, and drops a last one that is not whole. What is not one array is no answer of one statement. */
async function* rowsOf<Row>(result: ResultSet<'JSONEachRow'>): AsyncGenerator<Row[], void> {
  let awaited: 'begin' | 'end' | 'nothing' = 'begin';
  for await (const lines of result.stream()) {
    const rows: Row[] = [];
    for (const { text } of lines) {
      if (text === '') continue;
      if (awaited === 'begin' && text === BEGIN) awaited = 'end';
      else if (awaited !== 'end') throw new Error('the answer is not one array');
      else if (text === END) awaited = 'nothing';
      else rows.push(JSON.parse(text.endsWith(',') ? text.slice(0, -1) : text) as Row);
    }
    if (rows.length > 0) yield rows;
  }
  if (awaited !== 'nothing') throw new Error('the answer has no end');
}
