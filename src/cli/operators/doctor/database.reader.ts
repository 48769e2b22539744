import pg from 'pg';
import { MIGRATIONS } from '../../../../migrations/index.js';
import type { SealedColumn } from '../../../platform/sealed-columns/sealed-column.js';

export interface ServerFacts {
  readonly version: string;
  readonly versionNumber: number;
  readonly encoding: string;
  readonly isReplica: boolean;
  /** Connections that ordinary roles may open. */
  readonly mostConnections: number;
  readonly usedConnections: number;
  /** Whether the role may create tables, and the number of tables that the role cannot change. */
  readonly mayCreate: boolean;
  readonly foreignTables: number;
}

export interface MigrationFacts {
  /** Names of migrations of this version that are not applied. */
  readonly missing: readonly string[];
  /** The number of applied migrations that this version does not know. */
  readonly unknown: number;
}

export interface SealedSample {
  readonly id: string;
  readonly tenantId: string;
  readonly version?: number;
  readonly value: string;
}

/** The number of values of each column that are decrypted. */
const SAMPLE = 5;

/** Reads what the doctor needs from the database, on one connection with a time limit for each statement. */
export class DoctorDatabase {
  private constructor(private readonly client: pg.Client) {}

  static async open(url: string, limitMs: number): Promise<DoctorDatabase> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: limitMs,
      statement_timeout: limitMs,
      query_timeout: limitMs,
      application_name: 'service-doctor',
    });
    // A lost connection makes the next statement fail, so its event needs no handling. Without a listener, the event
    // would end the process.
    client.on('error', () => undefined);
    await client.connect();
    return new DoctorDatabase(client);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  async server(): Promise<ServerFacts> {
    return this.one<ServerFacts>(
      `SELECT current_setting('server_version') AS version,
              current_setting('server_version_num')::int AS "versionNumber",
              current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS "isReplica",
              current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                AS "mostConnections",
              (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS "usedConnections",
              has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
              (SELECT count(*)::int FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
                 AND c.relkind IN ('r', 'p') AND NOT pg_has_role(c.relowner, 'MEMBER')) AS "foreignTables"`,
    );
  }

  async migrations(): Promise<MigrationFacts> {
    const { exists } = await this.one<{ exists: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AS exists`);
    const rows = exists ? await this.rows<{ name: string }>('SELECT name FROM migrations') : [];
    const applied = new Set(rows.map(({ name }) => name));
    const known: string[] = MIGRATIONS.map((migration) => new migration().name);
    return {
      missing: known.filter((name) => !applied.has(name)),
      unknown: [...applied].filter((name) => !known.includes(name)).length,
    };
  }

  /** Returns the clock of the server in milliseconds. */
  async clock(): Promise<number> {
    const { at } = await this.one<{ at: number }>(`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at`);
    return at;
  }

  /** Returns a few of the newest values of an encrypted column. */
  sample({ shape }: SealedColumn): Promise<SealedSample[]> {
    const { table, column, id = 'id', tenant, version } = shape;
    return this.rows<SealedSample>(
      `SELECT /* every tenant: a sample to decrypt */ ${id} AS id, ${tenant} AS "tenantId", ${column} AS value
              ${version === undefined ? '' : `, ${version} AS version`}
       FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${id} DESC LIMIT ${SAMPLE}`,
    );
  }

  /** Returns the ids of keys, other than the known ones, with which values of the column are encrypted. */
  async otherKeys({ shape: { table, column } }: SealedColumn, known: readonly string[]): Promise<string[]> {
    const rows = await this.rows<{ key: string }>(
      `SELECT /* every tenant: which keys are in use */ DISTINCT substr(split_part(${column}, '.', 1), 2) AS key
       FROM ${table} WHERE split_part(${column}, '.', 1) <> ALL ($1) LIMIT 10`,
      [known.map((id) => `v${id}`)],
    );
    return rows.map(({ key }) => key);
  }

  private async rows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.client.query(sql, parameters);
    return rows as Row[];
  }

  private async one<Row>(sql: string): Promise<Row> {
    const [row] = await this.rows<Row>(sql);
    if (row === undefined) throw new Error('the statement returned no row');
    return row;
  }
}
