import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp, cleanups, query, temporaryFolder } from '../../support/embedded-database.js';
import { createTestDatabase } from '../../support/postgres.js';
import { eventually, startService } from '../../support/service-process.js';
import { openAccount } from '../../support/service-traffic.js';

afterEach(cleanUp);

describe('the audit sink of a killed process', () => {
  it('is continued by the next process, which repeats only rows whose write was not recorded', async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const dataDir = await temporaryFolder();
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    const rowsIn = async (file: string): Promise<string[]> =>
      (await readFile(join(dataDir, file), 'utf8').catch(() => ''))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { id: string }).id);

    // The process writes the file and then hangs before it records the write.
    await query(
      database.url,
      `CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END'`,
    );
    await query(
      database.url,
      `CREATE TRIGGER hang BEFORE UPDATE OF position ON audit_sinks FOR EACH ROW EXECUTE FUNCTION hang()`,
    );
    const killed = await startService({ env: { ...env, AUDIT_SINK: 'file' } });
    await openAccount(killed.url, dataDir);
    const written = await eventually(
      () => rowsIn('audit.ndjson'),
      (rows) => rows.length > 0,
    );
    killed.signal('SIGKILL');
    await killed.exited;
    await query(
      database.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'UPDATE audit_sinks%'`,
    );
    await query(database.url, 'DROP TRIGGER hang ON audit_sinks');
    await query(database.url, `UPDATE audit_sinks SET claimed_until = now() - interval '1 second'`);

    const next = await startService({ env: { ...env, AUDIT_SINK: 'file' } });
    const expected = (
      (await query(database.url, 'SELECT audit_event_id AS id FROM audit_positions ORDER BY position')) as {
        id: string;
      }[]
    ).map(({ id }) => id);
    const rows = await eventually(
      () => rowsIn('audit.ndjson'),
      (found) => found.length >= written.length + expected.length,
    );
    expect(rows).toEqual([...written, ...expected]);
    await next.stop();
  });

  it('writes whole rows to standard output between the lines of the log', async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const dataDir = await temporaryFolder();
    const service = await startService({
      env: { DATA_DIR: dataDir, DATABASE_URL: database.url, AUDIT_SINK: 'stdout' },
    });
    await openAccount(service.url, dataDir);
    const expected = (await query(
      database.url,
      'SELECT audit_event_id AS id FROM audit_positions ORDER BY position',
    )) as { id: string }[];
    for (const { id } of expected) await service.printed(`{"id":"${id}"`);
    await service.stop();
    const lines = service.stdout.split('\n').filter((line) => line.startsWith('{"id":'));
    expect(lines.map((line) => ({ id: (JSON.parse(line) as { id: string }).id }))).toEqual(expected);
  });
});
