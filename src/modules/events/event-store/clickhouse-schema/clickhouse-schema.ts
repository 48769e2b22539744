import { Logger } from '@nestjs/common';
import { ConfigError } from '../../../../config/index.js';
import { isAccessDenied, isOfServer, isWrongPassword, shortReason } from '../../../../platform/clickhouse/index.js';
import { EVENT_COLUMNS } from './columns.js';
import { EVENT_INDEXES, FORMER_INDEXES, TABLES_VERSION, versionIn } from './table-statements.js';
import type { ClickHouseSchemaRepository } from './clickhouse-schema.repository.js';

/**
 * The oldest version that is tested. Older versions lack timestamps before 1900, types or settings that the tables
 * need.
 */
const OLDEST_SERVER = [26, 7] as const;

/** Creates the tables of events. Several processes may do so at the same time. */
export class ClickHouseSchema {
  private readonly logger = new Logger('event-store');
  private ready = false;

  /** @param beforeMaking called before tables are created, because an earlier replica may be lost */
  constructor(
    private readonly tables: ClickHouseSchemaRepository,
    private readonly beforeMaking: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** @throws ConfigError when the server is reachable but cannot be used; any other error when it is not reachable */
  async prepare(): Promise<void> {
    if (this.ready) return;
    await this.judgeServer();
    await this.makeDatabase();
    if ((await this.tables.comment()) === undefined) {
      await this.beforeMaking();
      await this.tables.makeTables();
    }
    await this.judgeTables();
    const known = new Set(await this.tables.columns());
    for (const column of EVENT_COLUMNS) if (!known.has(column.name)) await this.tables.addColumn(column);
    await this.prepareIndexes();
    this.ready = true;
  }

  /**
   * Adds missing indexes and drops indexes of earlier versions. A new index covers new rows and merged parts; until
   * then reads take longer.
   */
  private async prepareIndexes(): Promise<void> {
    try {
      const there = new Set(await this.tables.indexes());
      for (const index of EVENT_INDEXES) if (!there.has(index.name)) await this.tables.addIndex(index);
      for (const name of FORMER_INDEXES) if (there.has(name)) await this.tables.dropIndex(name);
    } catch (error) {
      if (!isOfServer(error)) throw error;
      // Replication also works without the indexes.
      const why = isAccessDenied(error) ? 'CLICKHOUSE_USER may not see or change them' : shortReason(error);
      this.logger.warn(`the indexes of ClickHouse stay as they are: ${why}`);
    }
  }

  private async judgeServer(): Promise<void> {
    let version: string;
    try {
      version = await this.tables.serverVersion();
    } catch (error) {
      if (isWrongPassword(error))
        throw new ConfigError(['CLICKHOUSE_USER or CLICKHOUSE_PASSWORD is refused by the server']);
      throw error;
    }
    if (isOlder(version)) {
      throw new ConfigError([
        `CLICKHOUSE_URL names a server of version ${version}; ${OLDEST_SERVER.join('.')} or newer is needed`,
      ]);
    }
  }

  private async makeDatabase(): Promise<void> {
    if (await this.tables.hasDatabase()) return;
    try {
      await this.tables.makeDatabase();
    } catch (error) {
      if (!isAccessDenied(error)) throw error;
      throw new ConfigError(['CLICKHOUSE_DATABASE is not there, and CLICKHOUSE_USER may not make it']);
    }
  }

  private async judgeTables(): Promise<void> {
    const comment = (await this.tables.comment()) ?? '';
    const version = versionIn(comment);
    if (version === TABLES_VERSION) return;
    throw new ConfigError([
      version === null
        ? 'CLICKHOUSE_DATABASE has a table events that is not of this service: name a database of its own'
        : `CLICKHOUSE_DATABASE has tables of version ${version}, and this version of the service needs ${TABLES_VERSION}`,
    ]);
  }
}

/** A version without leading numbers, such as that of a custom build, counts as new. */
function isOlder(version: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) return false;
  const difference = Number(major) - OLDEST_SERVER[0] || Number(minor) - OLDEST_SERVER[1];
  return difference < 0;
}
