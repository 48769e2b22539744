import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import {
  searchHit,
  type SearchHit,
  RowSearch,
  type RowSearchSql,
  type Search,
} from '../../../tenancy/search-sources/index.js';

interface Row {
  readonly id: string;
  readonly key: string;
  readonly contentType: string;
  readonly createdAt: Date;
}

/** Finds objects by their keys. */
@Injectable()
export class ObjectSearch extends RowSearch<Row> {
  readonly type = 'object';
  readonly needed = { role: 'viewer' } as const;
  protected readonly columns = { id: 'id::text', texts: ['key'] };

  protected statement({ projectId }: ProjectScope, _search: Search, { bind, fits, folded }: RowSearchSql): string {
    return `SELECT id, key, content_type AS "contentType", created_at AS "createdAt", ${folded} FROM stored_objects
      WHERE project_id = ${bind(projectId)} AND ${fits}`;
  }

  protected toHit({ id, key, contentType, createdAt }: Row): SearchHit {
    return searchHit({ id, title: key, subtitle: contentType, timestamp: createdAt }, { key });
  }
}
