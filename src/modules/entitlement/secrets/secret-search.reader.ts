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
  readonly description: string | null;
  readonly createdAt: Date;
}

/** Finds secrets by name and description. The values are not read. */
@Injectable()
export class SecretSearch extends RowSearch<Row> {
  readonly type = 'secret';
  readonly needed = { role: 'viewer' } as const;
  protected readonly columns = { id: 'id::text', texts: ['name', 'description'] };

  protected statement({ projectId }: ProjectScope, _search: Search, { bind, fits, folded }: RowSearchSql): string {
    return `SELECT id, name, description, created_at AS "createdAt", ${folded} FROM project_secrets
      WHERE project_id = ${bind(projectId)} AND ${fits}`;
  }

  protected toHit({ id, name, description, createdAt }: Row): SearchHit {
    return searchHit({ id, title: name, subtitle: description, timestamp: createdAt }, { name, description });
  }
}
