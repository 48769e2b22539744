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

  it('are waited for only by callers that find none idle and may open none', async () => {
    behind = await createEmptyDatabase();
    const options = typeOrmOptions({ url: behind.url, poolSize: 2, applicationName: 'test' }) as DataSourceOptions;
    source = await new DataSource(options).initialize();
    const database = new Database(source);
    const read = () => database.rows('SELECT 1');
    await read();
    const served = [read(), read()];
    expect(database.poolUse.waiting).toBe(0);
    await Promise.all(served);
    const waiting = await database.transaction(() =>
      // Not returned as promises: the transactions would wait for them, and they for a connection.
      database.transaction(() => {
        const reads = [read(), read(), read()];
        expect(database.poolUse).toEqual({ open: 2, idle: 0, waiting: 3 });
        return Promise.resolve({ reads });
      }),
    );
    await Promise.all(waiting.reads);
  });
});
