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
  readonly name: string;
  readonly type: string;
  readonly createdAt: Date;
}

/** Finds alert destinations by name and type, never by address. */
@Injectable()
export class AlertDestinationSearch extends RowSearch<Row> {
  readonly type = 'alert_destination';
  readonly needed = { role: 'viewer' } as const;
  protected readonly columns = { id: 'id::text', texts: ['name', 'type'] };

  protected statement({ projectId }: ProjectScope, _search: Search, { bind, fits, folded }: RowSearchSql): string {
    return `SELECT id, name, type, created_at AS "createdAt", ${folded} FROM alert_destinations
      WHERE project_id = ${bind(projectId)} AND ${fits}`;
  }

  protected toHit({ id, name, type, createdAt }: Row): SearchHit {
    return searchHit({ id, title: name, subtitle: type, timestamp: createdAt }, { name, type });
  }
}
