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
  /** How many rows, and in which order: the best first, then the newest, then by id. */
  readonly best: string;
}

/** A source whose things are rows of one table with `id` and `created_at`. */
@Injectable()
export abstract class RowSearch<Row> extends SearchSource {
  protected abstract readonly columns: SearchColumns;

  constructor(private readonly database: Database) {
    super();
  }

  /** Reads the rows of the project that fit. */
  protected abstract statement(scope: ProjectScope, search: Search, sql: RowSearchSql): string;

  protected abstract thingOf(row: Row): FoundThing;

  async find(scope: ProjectScope, search: Search, limit: number, db: Db): Promise<FoundThing[]> {
    const { bind, values } = new Parameters();
    const { fits, rank } = searchSql(this.columns, search.words, bind);
    const best = `ORDER BY ${rank} DESC, created_at DESC, id LIMIT ${bind(limit)}`;
    const rows = await this.database.rows<Row>(this.statement(scope, search, { bind, fits, best }), values, db);
    return rows.map((row) => this.thingOf(row));
  }
}
