import { afterEach, describe, expect, it } from '@jest/globals';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { isOutOfReach } from '../../src/platform/database/database-faults.js';
import { typeOrmOptions } from '../../src/platform/database/typeorm.options.js';
import { type EndingDatabase, startEndingDatabase } from '../support/ending-database.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';

describe('the connections of the database', () => {
  let behind: TestDatabase | undefined;
  let before: EndingDatabase | undefined;
  let source: DataSource | undefined;
  afterEach(async () => {
    await source?.destroy();
    await before?.close();
    await behind?.drop();
  });

  it.each([
    ['a statement', (database: Database) => database.rows('SELECT 1')],
    ['a transaction', (database: Database) => database.transaction((tx) => database.rows('SELECT 1', [], tx))],
  ])('may be ended by the server as they are made, and %s fails as out of reach', async (_, work) => {
    behind = await createEmptyDatabase();
    before = await startEndingDatabase(behind.url);
    source = await new DataSource(
      typeOrmOptions({ url: before.url, poolSize: 2, applicationName: 'test' }) as DataSourceOptions,
    ).initialize();
    const database = new Database(source);
    // The pool's first connection is taken, so that the next is a new one.
    await database.transaction(async () => {
      before?.endNext();
      const refusal = await work(database).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(Error);
      expect(isOutOfReach(refusal)).toBe(true);
    });
    await expect(work(database)).resolves.toBeDefined();
  });
});
