import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp, cleanups, temporaryFolder } from '../../support/embedded-database.js';
import { builtVersion, commitBefore } from '../../support/older-version.mjs';
import { createEmptyDatabase } from '../../support/postgres.js';
import { ProtectedSite } from '../../support/protected-site.js';
import { startReceiver } from '../../support/receiver.js';
import { CLEAN_EXIT, launch, type ServiceProcess, startService } from '../../support/service-process.js';
import { call, IngestTraffic, storedEvents } from '../../support/service-traffic.js';

/** The latest migrations, over which the two versions run side by side. */
const LATEST = 17;

const files = readdirSync(new URL('../../../migrations', import.meta.url)).filter((name) => /^\d/.test(name));
const commit = await commitBefore(`migrations/${files.sort().at(-LATEST)}`);

afterEach(cleanUp);

describe('the version before the latest migrations and this version', () => {
  const title = 'serve and deliver side by side, while the database is migrated under load and afterwards';
  if (commit === null) {
    it.skip(`${title} (left out: this clone has no history)`, () => undefined);
    return;
  }

  it(title, async () => {
    const oldProgram = await builtVersion(commit);
    const database = await createEmptyDatabase();
    cleanups.push(() => database.drop());
    const receiver = await startReceiver();
    cleanups.push(() => receiver.close());
    const dataDir = await temporaryFolder();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      JWT_PRIVATE_KEYS: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      CREDENTIAL_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
      CONSOLE: 'off',
    };
    const startOld = (): Promise<ServiceProcess> => startService({ env, command: [process.execPath, oldProgram] });

    const old = await startOld();
    const site = await ProtectedSite.fill(old.url, dataDir, receiver);
    const { account } = site;
    await site.expectDeliveries(old.url, account.accessToken);
    const toOld = new IngestTraffic(old.url, account, 2, 'old');
    await toOld.hasAccepted(50);

    const migration = launch({ env, command: [process.execPath, 'dist/src/cli.js', 'migrate'] });
    expect(await migration.end()).toEqual(CLEAN_EXIT);
    expect(migration.stderr).toContain('"message":"migrations applied"');
    const fresh = await startService({ env: { ...env, MIGRATE_ON_START: 'off' } });
    const toNew = new IngestTraffic(fresh.url, account, 2, 'new');
    await Promise.all([toOld.hasAccepted(toOld.accepted.length + 50), toNew.hasAccepted(50)]);

    await site.expectWhole(fresh.url);
    for (const { url } of [old, fresh]) {
      await site.expectDeliveries(url, account.accessToken);
      const list = await call(url, {
        path: `/v1/logs?project_id=${account.projectId}&range=all&limit=500`,
        headers: { Authorization: `Bearer ${account.accessToken}` },
      });
      expect(list.status).toBe(200);
    }

    // An old process that restarts next to the migrated database.
    expect(await old.stop()).toEqual(CLEAN_EXIT);
    const again = await startOld();
    await site.expectDeliveries(again.url, account.accessToken);
    expect(await fresh.stop()).toEqual(CLEAN_EXIT);
    await Promise.all([toOld.over, toNew.over]);
    expect([...toOld.others, ...toNew.others].filter(({ kind }) => kind === 'answered')).toEqual([]);

    // Going back: the old version alone.
    await site.expectDeliveries(again.url, account.accessToken);
    const { ids } = await storedEvents(database.url);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...toOld.accepted, ...toNew.accepted]));
    expect(await again.stop()).toEqual(CLEAN_EXIT);
  });
});
