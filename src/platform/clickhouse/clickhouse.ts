import type { Readable } from 'node:stream';
import type { ClickHouseClient, ClickHouseSettings as QuerySettings } from '@clickhouse/client';
import type { ClickHouseSettings } from '../../config/index.js';

/** Longer than any statement of ours may take: a server that hangs is given up. */
const LIMIT_MS = 60_000;
const MOST_CONNECTIONS = 4;

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

  /** @throws the server's error, whose `code` is its number, or that of the connection */
  async rows<Row>(sql: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<Row[]> {
    const result = await this.client.query({
      query: sql,
      query_params: { ...parameters },
      format: 'JSONEachRow',
    });
    return result.json<Row>();
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
