import type { ClickHouse } from '../../../../platform/clickhouse/index.js';
import {
  columnStatements,
  databaseStatement,
  EVENT_TABLE,
  indexStatement,
  keptTableName,
  type TableIndex,
  tableStatements,
  type TableLocation,
  withoutIndexStatement,
} from './table-statements.js';

/** Reads and creates the tables of events in ClickHouse. */
export class ClickHouseSchemaRepository {
  constructor(private readonly server: ClickHouse) {}

  private get location(): TableLocation {
    return { database: this.server.database, cluster: this.server.cluster };
  }

  /** Returns the version of the server, such as `26.7.2.1`. */
  async serverVersion(): Promise<string> {
    const [row] = await this.server.rows<{ version: string }>('SELECT version() AS version');
    return row?.version ?? '';
  }

  async hasDatabase(): Promise<boolean> {
    const rows = await this.server.rows('SELECT 1 AS there FROM system.databases WHERE name = {database: String}', {
      database: this.server.database,
    });
    return rows.length > 0;
  }

  /** Returns the comment of the table, or undefined when there is no table. */
  async comment(): Promise<string | undefined> {
    const [row] = await this.server.rows<{ comment: string }>(
      'SELECT comment FROM system.tables WHERE database = {database: String} AND name = {table: String}',
      { database: this.server.database, table: EVENT_TABLE },
    );
    return row?.comment;
  }

  async columns(): Promise<string[]> {
    const rows = await this.server.rows<{ name: string }>(
      'SELECT name FROM system.columns WHERE database = {database: String} AND table = {table: String}',
      { database: this.server.database, table: EVENT_TABLE },
    );
    return rows.map(({ name }) => name);
  }

  /** Returns the names of the indexes of the table that stores the rows. */
  async indexes(): Promise<string[]> {
    const rows = await this.server.rows<{ name: string }>(
      'SELECT name FROM system.data_skipping_indices WHERE database = {database: String} AND table = {table: String}',
      { database: this.server.database, table: keptTableName(this.server) },
    );
    return rows.map(({ name }) => name);
  }

  async makeDatabase(): Promise<void> {
    await this.server.command(databaseStatement(this.location));
  }

  /** Existing tables are not changed. */
  async makeTables(): Promise<void> {
    for (const statement of tableStatements(this.location)) await this.server.command(statement);
  }

  async addColumn({ name, definition }: { readonly name: string; readonly definition: string }): Promise<void> {
    for (const statement of columnStatements(this.location, name, definition)) await this.server.command(statement);
  }

  async addIndex(index: TableIndex): Promise<void> {
    await this.server.command(indexStatement(this.location, index));
  }

  async dropIndex(name: string): Promise<void> {
    await this.server.command(withoutIndexStatement(this.location, name));
  }
}
