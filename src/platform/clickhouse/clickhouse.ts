import type { Readable } from 'node:stream';
import type { ClickHouseClient, ClickHouseSettings as QuerySettings, QueryParams, ResultSet } from '@clickhouse/client';
import type { ClickHouseSettings } from '../../config/index.js';
import { isClosedUnanswered, SilentServer } from './clickhouse-errors.js';

/**
 * Request timeout, longer than the time limit of any statement of the service. Ends requests to a server that hangs.
 */
const LIMIT_MS = 60_000;
/**
 * Maximum number of connections of one process: replication and maintenance of the tables, eight quick reads, eight
 * reads of the newest hours, eight of old events, four quick reads of searches, and two long reads with two statements
 * each.
 */
const MOST_CONNECTIONS = 34;
/** Memory limits of one read. Above the first, the server continues on disk. Above the second, the read fails. */
const MUCH_MEMORY_BYTES = 536_870_912;
const MOST_MEMORY_BYTES = 2_147_483_648;
/**
 * Maximum length of the SQL of one read, whose conditions may be long. The server's limit on syntax elements is not
 * raised: no time limit applies while the server parses, and parsing more elements could take longer than a read may
 * take.
 */
const MOST_CHARACTERS = 16_777_216;
/** Limits the size of an answer whose rows are collected in memory. A larger answer fails. */
const BOUNDED_ANSWER: QuerySettings = { max_result_bytes: '67108864', result_overflow_mode: 'throw' };
/** How long after the time limit a server may take to report the timeout. */
const GRACE_MS = 2_000;
/**
 * Makes the server send rows as one array. An interrupted answer is then recognized as incomplete, and an error is not
 * read as a row.
 */
const WHOLE: QuerySettings = { output_format_json_array_of_rows: 1, http_write_exception_in_output_format: 0 };
const [BEGIN, END] = ['[', ']'];

export type { QuerySettings };

export interface Insert {
  readonly table: string;
  /** The columns, in the order of the body. */
  readonly columns: readonly [string, ...string[]];
  /** Lines in the format `TabSeparated`, as bytes. */
  readonly body: Readable;
  readonly settings: QuerySettings;
  /** Time limit until the insert is acknowledged. */
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

type Question = Pick<QueryParams, 'query' | 'query_params' | 'abort_signal' | 'clickhouse_settings'>;

/** The limits of one read. */
export interface ReadBounds {
  readonly milliseconds: number;
  /** Ends the read. */
  readonly signal?: AbortSignal;
  /** Settings in addition to those that limit the read. */
  readonly settings?: QuerySettings;
}

/** A client of the HTTP interface of a ClickHouse server. The driver is loaded only when a server is configured. */
export class ClickHouse {
  private constructor(
    private readonly client: ClickHouseClient,
    readonly database: string,
    readonly cluster: string | undefined,
  ) {}

  /** Creates the client without connecting to the server. */
  static async open({ url, user, password, database, cluster }: ClickHouseSettings): Promise<ClickHouse> {
    const { ClickHouseLogLevel, createClient } = await import('@clickhouse/client');
    const client = createClient({
      url,
      username: user,
      password,
      application: 'operational-event-service',
      request_timeout: LIMIT_MS,
      max_open_connections: MOST_CONNECTIONS,
      // A process that was blocked for seconds would reuse connections that the server has closed in the meantime.
      keep_alive: { eagerly_destroy_stale_sockets: true },
      // Callers report errors, so the client does not log them.
      log: { level: ClickHouseLogLevel.OFF },
    });
    return new ClickHouse(client, database, cluster);
  }

  /** The settings with which reads see acknowledged writes on every replica. */
  private get consistency(): QuerySettings {
    return this.cluster === undefined ? {} : { select_sequential_consistency: '1' };
  }

  /**
   * Returns the rows of a statement that begins with SELECT.
   * @throws the server's error, whose `code` is its number, an error of the connection, or an error when the answer is
   * incomplete
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
   * Returns the rows like {@link rows}, within limits of memory and time.
   * @throws as {@link rows}; `isTooMuch` recognizes an exceeded limit, and SilentServer is thrown when no answer
   * arrives
   */
  async read<Row>(sql: string, parameters: Readonly<Record<string, unknown>>, bounds: ReadBounds): Promise<Row[]> {
    const settings = { ...BOUNDED_ANSWER, ...bounds.settings };
    return allOf(await this.bounded<Row>(sql, parameters, { ...bounds, settings }));
  }

  /**
   * Yields the rows of {@link read} in parts. When the caller stops early, the connection is closed, so that the server
   * cancels the read.
   */
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
    // The client would send the statement even if the signal is already aborted.
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
        // The server cancels the statement when its client disconnects. It does so only for read-only statements.
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
   * Sends a statement, and repeats it once when the connection ended before any answer. A server closes idle
   * connections, possibly at the moment when one is reused. The statement may then be executed twice, so it must only
   * read.
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

  /** Executes a statement without rows. @throws as {@link rows} */
  async command(sql: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.client.command({ query: sql, query_params: { ...parameters } });
  }

  /**
   * Inserts rows and waits until the server has acknowledged them.
   * @throws as {@link rows}, the error of the body, and SilentServer when no answer arrives
   */
  async insert({ table, columns, body, settings, milliseconds, signal }: Insert): Promise<void> {
    signal.throwIfAborted();
    const silence = AbortSignal.timeout(milliseconds + GRACE_MS);
    const silent = new SilentServer();
    // Reports the timeout to the writer of the body. Otherwise the writer would only see that the aborted request has
    // destroyed the body.
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
 * Yields rows, and ends when the signal aborts, which the client ignores once the answer has started. The time limit
 * applies to each wait for the server, and not to the time that the consumer spends on the rows.
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

/**
 * Yields the rows of an answer. The client drops an incomplete last line, so an answer that is not one whole array is
 * rejected as incomplete.
 */
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
