import { chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../../support/certificates.js';
import { cleanUp, query, start, temporaryFolder } from '../../support/embedded-database.js';
import { eventually } from '../../support/eventually.js';
import { CLEAN_EXIT, launch, startService } from '../../support/service-process.js';

afterEach(cleanUp);

describe('a PostgreSQL with TLS', () => {
  it('is used by every connection when DATABASE_URL has an sslmode, and refused with a certificate of another authority', async () => {
    const folder = await temporaryFolder();
    const postgres = await start(await temporaryFolder());
    const authority = makeCertificate({ names: ['ca'], isAuthority: true });
    const { cert, key } = makeCertificate({ names: ['localhost'], authority });
    const { uid, gid } = await stat(postgres.dataDir);
    for (const [name, text] of [
      ['server.crt', cert],
      ['server.key', key],
    ] as const) {
      const path = join(postgres.dataDir, name);
      await writeFile(path, text, { mode: 0o600 });
      await chown(path, uid, gid);
    }
    await query(postgres.adminUrl, 'ALTER SYSTEM SET ssl = on');
    await query(postgres.adminUrl, 'SELECT pg_reload_conf()');
    await eventually(
      () => query(postgres.adminUrl, 'SHOW ssl'),
      ([row]) => (row as { ssl: string }).ssl === 'on',
    );
    const urlWith = async (name: string, ca: string): Promise<string> => {
      const path = join(folder, name);
      await writeFile(path, ca);
      const url = new URL(postgres.url);
      url.hostname = 'localhost';
      url.search = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: path }).toString();
      return url.href;
    };
    const env = { DATA_DIR: folder, DATABASE_URL: await urlWith('ca.pem', authority.cert) };
    const service = await startService({ env });
    const sessions = await query(
      postgres.adminUrl,
      `SELECT application_name AS name, ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = 'oes'`,
    );
    expect(sessions.length).toBeGreaterThan(4);
    expect(sessions.filter((row) => !(row as { ssl: boolean }).ssl)).toEqual([]);
    expect(await service.stop()).toEqual(CLEAN_EXIT);

    const other = makeCertificate({ names: ['ca'], isAuthority: true });
    const refused = launch({ env: { ...env, DATABASE_URL: await urlWith('other.pem', other.cert) } });
    expect((await refused.end()).code).toBe(1);
  });
});
