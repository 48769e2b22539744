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

/** Finds delivery channels by name and type, never by address. */
@Injectable()
export class DeliveryChannelSearch extends RowSearch<Row> {
  readonly type = 'delivery_channel';
  readonly needed = { capability: 'delivery:read' } as const;
  protected readonly columns = { id: 'id::text', texts: ['name', 'type'] };

  protected statement({ projectId }: ProjectScope, _search: Search, { bind, fits, folded }: RowSearchSql): string {
    return `SELECT id, name, type, created_at AS "createdAt", ${folded} FROM delivery_channels
      WHERE project_id = ${bind(projectId)} AND ${fits}`;
  }

  protected toHit({ id, name, type, createdAt }: Row): SearchHit {
    return searchHit({ id, title: name, subtitle: type, timestamp: createdAt }, { name, type });
  }
}
