import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp, cleanups, query, temporaryFolder } from '../../support/embedded-database.js';
import { eventually } from '../../support/eventually.js';
import { PostgresMachine, postgresPrograms, type PostgresServer } from '../../support/postgres-server.js';
import { ProtectedSite } from '../../support/protected-site.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type ServiceProcess, startService } from '../../support/service-process.js';
import { call, ingestMessage, storedEvents } from '../../support/service-traffic.js';

afterEach(cleanUp);

const drill = 'absent' in postgresPrograms ? it.skip : it;
const reason = 'absent' in postgresPrograms ? ` (left out: ${postgresPrograms.absent})` : '';

/** The keys that are kept apart from the database. */
function makeKeys(folder: string): Record<string, string> {
  mkdirSync(folder);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwt = join(folder, 'jwt');
  const credentials = join(folder, 'credentials');
  writeFileSync(jwt, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(credentials, `k1:${randomBytes(32).toString('base64')}\n`);
  return { JWT_PRIVATE_KEYS_FILE: jwt, CREDENTIAL_ENCRYPTION_KEYS_FILE: credentials };
}

describe('a service that lost its machine', () => {
  let machine: PostgresMachine;
  let receiver: Receiver;
  let keys: Record<string, string>;
  let folder: string;

  async function prepare(): Promise<void> {
    folder = await temporaryFolder();
    machine = await PostgresMachine.in(await temporaryFolder());
    receiver = await startReceiver();
    cleanups.push(() => receiver.close());
    keys = makeKeys(join(folder, 'keys'));
  }

  const serve = (database: PostgresServer, dataDir: string): Promise<ServiceProcess> =>
    startService({
      env: {
        ...keys,
        DATABASE_URL: database.url,
        DATA_DIR: join(folder, dataDir),
        OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
      },
    });

  /** Fills a service, and returns it with one delivery of each kind. */
  async function filled(database: PostgresServer): Promise<{ service: ServiceProcess; site: ProtectedSite }> {
    const service = await serve(database, 'lost');
    const site = await ProtectedSite.fill(service.url, join(folder, 'lost'), receiver);
    for (let index = 0; index < 20; index += 1) {
      expect(await call(service.url, ingestMessage(site.account, `before-${index}`))).toMatchObject({ status: 200 });
    }
    await site.expectDeliveries(service.url, site.account.accessToken);
    return { service, site };
  }

  /** Copies the objects, which never change, after the database was backed up. */
  const copyObjects = (from: string, to: string): void =>
    cpSync(join(folder, from, 'objects'), join(folder, to, 'objects'), { recursive: true });

  async function lose(service: ServiceProcess, database: PostgresServer, cluster: string): Promise<void> {
    await service.stop('SIGKILL');
    await database.stop();
    rmSync(machine.path(cluster), { recursive: true });
    rmSync(join(folder, 'lost'), { recursive: true });
  }

  drill(`is whole again from a dump, the objects and the keys${reason}`, async () => {
    await prepare();
    await machine.init('old');
    const old = await machine.start('old');
    const { service, site } = await filled(old);
    const before = await storedEvents(old.url);
    await machine.run('pg_dump --format=custom --file="$2" "$1"', old.url, machine.path('dump'));
    copyObjects('lost', 'backup');
    await lose(service, old, 'old');

    await machine.init('new');
    const restored = await machine.start('new');
    await machine.run('pg_restore --exit-on-error --no-owner --dbname="$1" "$2"', restored.url, machine.path('dump'));
    copyObjects('backup', 'restored');
    const next = await serve(restored, 'restored');
    expect(await storedEvents(restored.url)).toEqual(before);
    await site.expectWhole(next.url);
  });

  drill(`is whole again at the moment before a mistake, from a base backup and the archived log${reason}`, async () => {
    await prepare();
    await machine.init('old');
    await machine.run('mkdir "$1"', machine.path('archive'));
    const archive = machine.path('archive');
    const old = await machine.start('old', { archive_mode: 'on', archive_command: `cp %p "${archive}/%f"` });
    await machine.run(
      'pg_basebackup --dbname="$1" --pgdata="$2" --checkpoint=fast --no-sync',
      old.url,
      machine.path('base'),
    );
    const { service, site } = await filled(old);
    const before = await storedEvents(old.url);
    copyObjects('lost', 'backup');
    await query(old.url, `SELECT pg_create_restore_point('before_the_mistake')`);
    await query(old.url, 'TRUNCATE users CASCADE');
    const [row] = await query(old.url, 'SELECT pg_walfile_name(pg_switch_wal()) AS file');
    const { file } = row as { file: string };
    await eventually(
      () => query(old.url, 'SELECT last_archived_wal FROM pg_stat_archiver'),
      ([last]) => ((last as { last_archived_wal: string | null }).last_archived_wal ?? '') >= file,
    );
    await lose(service, old, 'old');

    await machine.run('touch "$1/recovery.signal"', machine.path('base'));
    const restored = await machine.start('base', {
      restore_command: `cp "${archive}/%f" "%p"`,
      recovery_target_name: 'before_the_mistake',
      recovery_target_action: 'promote',
    });
    copyObjects('backup', 'restored');
    const next = await serve(restored, 'restored');
    expect(await storedEvents(restored.url)).toEqual(before);
    await site.expectWhole(next.url);
  });
});
