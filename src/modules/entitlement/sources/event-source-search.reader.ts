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
  readonly type: string;
  readonly createdAt: Date;
}

/** Finds Event Sources by name, description and type. */
@Injectable()
export class EventSourceSearch extends RowSearch<Row> {
  readonly type = 'event_source';
  readonly needed = { role: 'viewer' } as const;
  protected readonly columns = { id: 'id::text', texts: ['name', 'description', 'type'] };

  protected statement({ projectId }: ProjectScope, _search: Search, { bind, fits, folded }: RowSearchSql): string {
    return `SELECT id, name, description, type, created_at AS "createdAt", ${folded} FROM event_sources
      WHERE project_id = ${bind(projectId)} AND ${fits}`;
  }

  protected toHit({ id, name, description, type, createdAt }: Row): SearchHit {
    return searchHit(
      { id, title: name, subtitle: description ?? type, timestamp: createdAt },
      { name, description, type },
    );
  }
}
