import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../platform/access/index.js';
import { Database } from '../../platform/database/database.js';
import type { LoggedEvent } from './log-row.js';

export interface LogFilter {
  readonly from: Date;
  readonly to: Date;
  /** Upper case; undefined: every method. */
  readonly method: string | undefined;
  readonly hideNoise: boolean;
  /** Searched in endpoint, method and event name; undefined: no search. */
  readonly text: string | undefined;
  readonly limit: number;
}

/** Log rows straight from `events`: plain SQL along the primary key. */
@Injectable()
export class LogsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; events of one instant by id. */
  list(scope: ProjectScope, filter: LogFilter): Promise<LoggedEvent[]> {
    const parameters: unknown[] = [scope.projectId, filter.from, filter.to, filter.limit];
    const bind = (value: unknown): string => `$${parameters.push(value)}`;
    const conditions = ['project_id = $1', '"timestamp" >= $2', '"timestamp" <= $3'];
    if (filter.method !== undefined) conditions.push(`log_method = ${bind(filter.method)}`);
    if (filter.hideNoise) conditions.push(`log_endpoint NOT IN ('/health', '/favicon.ico')`);
    if (filter.text !== undefined) {
      const pattern = bind(`%${filter.text.replace(/[\\%_]/g, '\\$&')}%`);
      conditions.push(`(log_endpoint ILIKE ${pattern} OR log_method ILIKE ${pattern} OR event ILIKE ${pattern})`);
    }
    return this.database.rows<LoggedEvent>(
      `SELECT id, "timestamp", event, api_key_id, properties, log_method, log_endpoint, log_status, log_latency_ms
       FROM events WHERE ${conditions.join(' AND ')}
       ORDER BY "timestamp" DESC, id DESC LIMIT $4`,
      parameters,
    );
  }
}
