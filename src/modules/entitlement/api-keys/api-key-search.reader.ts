import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import {
  searchHit,
  type SearchHit,
  RowSearch,
  type RowSearchSql,
  type Search,
} from '../../tenancy/search-sources/index.js';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: Date;
}

/** Finds API keys, including browser-safe ones, by name and by the prefix that is shown. */
@Injectable()
export class ApiKeySearch extends RowSearch<Row> {
  readonly type = 'api_key';
  readonly needed = { role: 'viewer' } as const;
  protected readonly columns = { id: 'id::text', texts: ['name', 'prefix'] };

  protected statement({ projectId }: ProjectScope, _search: Search, { bind, fits, folded }: RowSearchSql): string {
    return `SELECT id, name, prefix, created_at AS "createdAt", ${folded} FROM api_keys
      WHERE project_id = ${bind(projectId)} AND ${fits}`;
  }

  protected toHit({ id, name, prefix, createdAt }: Row): SearchHit {
    return searchHit({ id, title: name, subtitle: prefix, timestamp: createdAt }, { name, prefix });
  }
}
