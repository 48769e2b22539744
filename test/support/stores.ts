import { describe, it } from '@jest/globals';
import { isOnClickHouse } from './running-service.js';

/** A test of what PostgreSQL alone does. A suite that runs on ClickHouse leaves it out. */
export function itOfPostgres(name: string, test: () => Promise<void>): void {
  if (!isOnClickHouse) it(name, test);
}

/** As {@link itOfPostgres}, of several tests. */
export function describeOfPostgres(name: string, tests: () => void): void {
  if (!isOnClickHouse) describe(name, tests);
}
