import pg from 'pg';
import { type Logger, QueryFailedError } from 'typeorm';
import { currentContext } from '../../../platform/telemetry/index.js';
import type { Faults } from './faults.js';

/**
 * Beyond the first limit, the oldest request is dropped. Beyond the second, further statements of a request are not
 * kept.
 */
const MOST_REQUESTS = 500;
const MOST_STATEMENTS = 2_000;

/**
 * Records the statements of the last requests and injects faults. TypeORM calls `logQuery` before it sends a statement,
 * so an error from `logQuery` keeps the statement from being sent.
 */
export class WatchedStatements implements Logger {
  private readonly byRequest = new Map<string, string[]>();

  constructor(private readonly faults: Faults) {}

  /** Returns the statements of the request with this X-Request-ID in their order. */
  of(requestId: string): readonly string[] {
    return this.byRequest.get(requestId) ?? [];
  }

  logQuery(sql: string, parameters: unknown[] = []): void {
    const requestId = currentContext()?.requestId;
    if (requestId === undefined) return;
    this.keep(requestId, sql);
    if (this.faults.take(sql === 'COMMIT' ? 'next-commit' : 'next-statement', requestId, sql)) {
      throw new QueryFailedError(sql, parameters, new pg.DatabaseError('A test made this statement fail', 0, 'error'));
    }
  }

  logQueryError(): void {
    // The caller reports the error.
  }

  logQuerySlow(): void {
    // No statement is reported as slow.
  }

  logSchemaBuild(): void {
    // TypeORM does not build the schema; migrations do.
  }

  logMigration(): void {
    // No request runs a migration.
  }

  log(): void {
    // The service has its own log.
  }

  private keep(requestId: string, sql: string): void {
    const known = this.byRequest.get(requestId);
    if (known !== undefined) {
      if (known.length < MOST_STATEMENTS) known.push(sql);
      return;
    }
    this.byRequest.set(requestId, [sql]);
    const [oldest] = this.byRequest.keys();
    if (this.byRequest.size > MOST_REQUESTS && oldest !== undefined) this.byRequest.delete(oldest);
  }
}
