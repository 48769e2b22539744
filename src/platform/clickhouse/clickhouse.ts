import type { Readable } from 'node:stream';
import type { ClickHouseClient, ClickHouseSettings as QuerySettings, ResultSet } from '@clickhouse/client';
import type { ClickHouseSettings } from '../../config/index.js';
import { SilentServer } from './clickhouse-errors.js';

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
/** Of the text of one read, whose conditions may be long. */
const MOST_CHARACTERS = 16_777_216;
/** How long a server may take to say that the time is over. */
const GRACE_MS = 2_000;

export type { QuerySettings };

export interface Insert {
  readonly table: string;
  /** In the order of the body. */
  readonly columns: readonly [string, ...string[]];
  /** Lines of `TabSeparated`, as bytes. */
  readonly body: Readable;
  readonly settings: QuerySettings;
  readonly signal?: AbortSignal;
}

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
      // Who gets an error tells of it.
      log: { level: ClickHouseLogLevel.OFF },
    });
    return new ClickHouse(client, database, cluster);
  }

  /** What was acknowledged is seen on whichever replica is asked. */
  private get consistency(): QuerySettings {
    return this.cluster === undefined ? {} : { select_sequential_consistency: '1' };
  }

  /** @throws the server's error, whose `code` is its number, or that of the connection */
  async rows<Row>(
    sql: string,
    parameters: Readonly<Record<string, unknown>> = {},
    settings: QuerySettings = {},
  ): Promise<Row[]> {
    const result = await this.client.query({
      query: sql,
      query_params: { ...parameters },
      format: 'JSONEachRow',
      clickhouse_settings: { ...this.consistency, ...settings },
    });
    return result.json<Row>();
  }

  /**
   * As {@link rows}, of a statement that begins with SELECT, within a bound of memory and time.
   * @throws as {@link rows}, where `isTooMuch` knows what went beyond a bound, and SilentServer when no answer comes
   */
  async read<Row>(sql: string, parameters: Readonly<Record<string, unknown>>, bounds: ReadBounds): Promise<Row[]> {
    const { result, silence } = this.bounded(sql, parameters, bounds);
    try {
      return await (await result).json<Row>();
    } catch (error) {
      throw silence.aborted ? new SilentServer('no answer in time') : error;
    }
  }

  /** As {@link read}, some rows at a time; the server is told when no others are wanted. */
  async *stream<Row>(
    sql: string,
    parameters: Readonly<Record<string, unknown>>,
    bounds: ReadBounds,
  ): AsyncGenerator<Row[], void> {
    const { result, silence } = this.bounded(sql, parameters, bounds);
    try {
      for await (const rows of (await result).stream<Row>()) yield rows.map((row) => row.json());
    } catch (error) {
      throw silence.aborted ? new SilentServer('no answer in time') : error;
    }
  }

  private bounded(
    query: string,
    parameters: Readonly<Record<string, unknown>>,
    { milliseconds, signal, settings }: ReadBounds,
  ): { readonly result: Promise<ResultSet<'JSONEachRow'>>; readonly silence: AbortSignal } {
    const silence = AbortSignal.timeout(milliseconds + GRACE_MS);
    const result = this.client.query({
      query,
      query_params: { ...parameters },
      format: 'JSONEachRow',
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
        ...this.consistency,
        ...settings,
      },
    });
    return { result, silence };
  }

  /** @throws as {@link rows} */
  async command(sql: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.client.command({ query: sql, query_params: { ...parameters } });
  }

  /** Resolves when the server has acknowledged it. @throws as {@link rows}, and what the body fails with */
  async insert({ table, columns, body, settings, signal }: Insert): Promise<void> {
    await this.client.insert({
      table,
      columns: [...columns] as [string, ...string[]],
      values: body,
      format: 'TabSeparated',
      clickhouse_settings: settings,
      ...(signal === undefined ? {} : { abort_signal: signal }),
    });
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
