import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../platform/database/parameters.js';
import { type SearchHit, type Search, SearchSource } from './search-source.js';
import { type SearchColumns, searchSql } from './search-sql.js';

/** The parts from which a {@link RowSearch} builds its statement. */
export interface RowSearchSql {
  readonly bind: Bind;
  /** An SQL condition that is true for matching rows. */
  readonly fits: string;
  /** Columns that the statement must select in addition to its own. */
  readonly folded: string;
}

/** A search source whose hits are rows of one table. */
@Injectable()
export abstract class RowSearch<Row> extends SearchSource {
  protected abstract readonly columns: SearchColumns;

  constructor(private readonly database: Database) {
    super();
  }

  /** Returns a statement that selects the matching rows of the project, with the columns `id` and `createdAt`. */
  protected abstract statement(scope: ProjectScope, search: Search, sql: RowSearchSql): string;

  protected abstract toHit(row: Row): SearchHit;

  async find(scope: ProjectScope, search: Search, limit: number, db: Db): Promise<SearchHit[]> {
    const { bind, values } = new Parameters();
    const { fits, folded, rank } = searchSql(this.columns, search.words, bind);
    const fitting = this.statement(scope, search, { bind, fits, folded });
    const rows = await this.database.rows<Row>(
      `SELECT * FROM (${fitting} OFFSET 0) fitting ORDER BY ${rank} DESC, "createdAt" DESC, id LIMIT ${bind(limit)}`,
      values,
      db,
    );
    return rows.map((row) => this.toHit(row));
  }
}
