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
  readonly message: string;
  readonly eventType: string | null;
  readonly source: string | null;
  readonly createdAt: Date;
}

/** Finds alert events raised in the time window by message, event type and source. */
@Injectable()
export class AlertEventSearch extends RowSearch<Row> {
  readonly type = 'alert_event';
  readonly needed = { role: 'viewer' } as const;
  protected readonly columns = { id: 'id::text', texts: ['message', 'event_type', 'source'] };

  protected statement({ projectId }: ProjectScope, { window }: Search, { bind, fits, folded }: RowSearchSql): string {
    return `SELECT id, message, event_type AS "eventType", source, created_at AS "createdAt", ${folded} FROM alert_events
      WHERE project_id = ${bind(projectId)} AND created_at >= ${bind(window.from)}
        AND created_at < ${bind(window.to)} AND ${fits}`;
  }

  protected toHit({ id, message, eventType, source, createdAt }: Row): SearchHit {
    return searchHit(
      { id, title: message, subtitle: eventType, timestamp: createdAt },
      { message, event_type: eventType, source },
    );
  }
}
