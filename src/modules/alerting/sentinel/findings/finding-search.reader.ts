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
  readonly title: string;
  readonly kind: string;
  readonly seriesValue: string | null;
  readonly summary: string;
  readonly createdAt: Date;
}

/** Searches findings by title, kind and series. Their age is not limited: they are deleted 90 days after they end. */
@Injectable()
export class FindingSearch extends RowSearch<Row> {
  readonly type = 'finding';
  readonly needed = { role: 'viewer' } as const;
  protected readonly columns = { id: 'id::text', texts: ['title', 'kind', 'series_value'] };

  protected statement({ projectId }: ProjectScope, _search: Search, { bind, fits, folded }: RowSearchSql): string {
    return `SELECT id, title, kind, nullif(series_value, '') AS "seriesValue", summary, started_at AS "createdAt", ${folded}
      FROM sentinel_findings WHERE project_id = ${bind(projectId)} AND ${fits}`;
  }

  protected toHit({ id, title, kind, seriesValue, summary, createdAt }: Row): SearchHit {
    return searchHit(
      { id, title, subtitle: summary, timestamp: createdAt },
      { title, kind, series_value: seriesValue },
    );
  }
}
