import { it } from '@jest/globals';
import { isOnClickHouse } from './running-service.js';

/** A test of what PostgreSQL alone does. A suite that runs on ClickHouse leaves it out. */
export function itOfPostgres(name: string, test: () => Promise<void>): void {
  if (!isOnClickHouse) it(name, test);
}
