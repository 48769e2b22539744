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
  readonly severity: string;
  readonly createdAt: Date;
}

/** Searches alert rules by name. */
@Injectable()
export class AlertRuleSearch extends RowSearch<Row> {
  readonly type = 'alert_rule';
  readonly needed = { role: 'viewer' } as const;
  protected readonly columns = { id: 'id::text', texts: ['name'] };

  protected statement({ projectId }: ProjectScope, _search: Search, { bind, fits, folded }: RowSearchSql): string {
    return `SELECT id, name, severity, created_at AS "createdAt", ${folded} FROM alert_rules
      WHERE project_id = ${bind(projectId)} AND ${fits}`;
  }

  protected toHit({ id, name, severity, createdAt }: Row): SearchHit {
    return searchHit({ id, title: name, subtitle: severity, timestamp: createdAt }, { name });
  }
}
