import { it } from '@jest/globals';
import { isOnClickHouse } from './running-service.js';

/** Defines a test of a behaviour of PostgreSQL alone. A suite that runs on ClickHouse leaves it out. */
export function itOfPostgres(name: string, test: () => Promise<void>): void {
  if (!isOnClickHouse) it(name, test);
}
