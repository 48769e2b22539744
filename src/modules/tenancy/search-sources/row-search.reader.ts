import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../platform/database/parameters.js';
import { type FoundThing, type Search, SearchSource } from './search-source.js';
import { type SearchColumns, searchSql } from './search-sql.js';

/** What the statement of a {@link RowSearch} is made with. */
export interface RowSearchSql {
  readonly bind: Bind;
  /** Is true of rows that fit. */
  readonly fits: string;
  /** Columns to be read beside those of the row. */
  readonly folded: string;
}

/** A source whose things are rows of one table. */
@Injectable()
export abstract class RowSearch<Row> extends SearchSource {
  protected abstract readonly columns: SearchColumns;

  constructor(private readonly database: Database) {
    super();
  }

  /** Reads the rows of the project that fit, with `id` and `createdAt`. */
  protected abstract statement(scope: ProjectScope, search: Search, sql: RowSearchSql): string;

  protected abstract thingOf(row: Row): FoundThing;

  async find(scope: ProjectScope, search: Search, limit: number, db: Db): Promise<FoundThing[]> {
    const { bind, values } = new Parameters();
    const { fits, folded, rank } = searchSql(this.columns, search.words, bind);
    const fitting = this.statement(scope, search, { bind, fits, folded });
    const rows = await this.database.rows<Row>(
      `SELECT * FROM (${fitting} OFFSET 0) fitting ORDER BY ${rank} DESC, "createdAt" DESC, id LIMIT ${bind(limit)}`,
      values,
      db,
    );
    return rows.map((row) => this.thingOf(row));
  }
}
