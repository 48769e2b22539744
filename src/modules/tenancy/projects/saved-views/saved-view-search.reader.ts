import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import {
  searchHit,
  type SearchHit,
  RowSearch,
  type RowSearchSql,
  type SavedViewKind,
  type Search,
} from '../../search-sources/index.js';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly kind: SavedViewKind;
  readonly createdAt: Date;
}

/** Searches saved views by name. */
@Injectable()
export class SavedViewSearch extends RowSearch<Row> {
  readonly type = 'saved_view';
  readonly needed = { role: 'viewer' } as const;
  protected readonly columns = { id: 'id::text', texts: ['name'] };

  protected statement({ projectId }: ProjectScope, _search: Search, { bind, fits, folded }: RowSearchSql): string {
    return `SELECT id, name, kind, created_at AS "createdAt", ${folded} FROM saved_views
      WHERE project_id = ${bind(projectId)} AND ${fits}`;
  }

  protected toHit({ id, name, kind, createdAt }: Row): SearchHit {
    return searchHit({ id, title: name, subtitle: null, timestamp: createdAt, kind }, { name });
  }
}
