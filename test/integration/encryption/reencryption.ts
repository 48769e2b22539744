import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { DiscoveryService } from '@nestjs/core';
import pg from 'pg';
import { checkEncryption, SEALED_COLUMNS } from '../../../src/cli/operators/doctor/database.checks.js';
import { loadConfig } from '../../../src/config/index.js';
import { SsoSessionsRepository } from '../../../src/modules/tenancy/sso/sso-sessions.repository.js';
import { Database } from '../../../src/platform/database/database.js';
import { MaintenanceRunner } from '../../../src/platform/maintenance/maintenance-task.js';
import { SealedColumn } from '../../../src/platform/sealed-columns/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { alertsOf, expectedSignature } from '../../support/alerts.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, deliveryOf, INTERNAL_TOKEN } from '../../support/delivery.js';
import { everythingKept } from '../../support/kept.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { secretsOf } from '../../support/secrets.js';
import { createSource } from '../../support/sources.js';
import { story } from '../../support/story.js';
import {
  challengeFor,
  forgetUsedCodes,
  type Guarded,
  guardedByTotp,
  post,
  totpCode,
} from '../../support/second-factors.js';

const [OLD, NEW] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
/** Rows that one transaction encrypts again. */
const BATCH = 200;

const it = story();

describe('an encrypted value', () => {
  let database: TestDatabase;
  let dataDir: string;
  let app: TestApp;
  let receiver: Receiver;
  let owner: Owner;
  let guarded: Guarded;
  let channel: string;
  let destination: string;

  /** The instance with these keys, on the same database and with the same sessions. */
  async function start(keys: string): Promise<void> {
    // Without workers, the test starts the rounds of maintenance.
    const env = { ...DELIVERY_ENV, PROCESS_ROLE: 'api', CREDENTIAL_ENCRYPTION_KEYS: keys };
    app = await createTestApp({ env, databaseUrl: database.url, dataDir });
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'oes-reencryption-'));
    receiver = await startReceiver();
    await start(String(OLD));
    owner = await ownerWithProject(app);
    guarded = await guardedByTotp(app);
    const secrets = secretsOf(app, owner);
    await secrets.replace(await secrets.made('TOKEN', 'first-version'), 'second-version');
    channel = await deliveryOf(app, owner).webhook(receiver.url, {
      protected_headers: [{ name: 'X-Token', value: 'header-value-0123 {{secret:TOKEN}}' }],
    });
    await createSource(app, owner, { type: 'webhook', verification: { scheme: 'github', secret: 'hook-secret' } });
    const alerts = alertsOf(app, owner);
    destination = await alerts.destination(receiver.url, { secret: 'secret-before' });
    await alerts.send('patch', `/v1/alert-destinations/${destination}`, { secret: 'secret-after' });
    await alerts.destination('https://hooks.slack.com/services/T000/B000/slackpathsecret', { type: 'slack' });
    const sessions = app.nest.get(SsoSessionsRepository, { strict: false });
    const [session] = await app.rows<{ id: string }>('SELECT id FROM sessions LIMIT 1');
    const origin = { provider: 'acme', subject: 'ada', providerSession: null, idToken: 'id-token-0123' };
    await app.nest.get(Database, { strict: false }).transaction((tx) => sessions.insert(session?.id ?? '', origin, tx));
    await app.close();
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const round = (): Promise<number> => app.nest.get(MaintenanceRunner, { strict: false }).run();
  /** The columns of any table that have values encrypted with a key. */
  async function columnsWith(key: string): Promise<string[]> {
    const columns = await app.rows<{ table: string; column: string }>(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY')`,
    );
    const found: string[] = [];
    for (const { table, column } of columns) {
      const rows = await app.rows(
        `SELECT 1 FROM ${table} WHERE "${column}"::text ~ '\\mv${key}\\.[\\w-]{16}\\.[\\w-]{22}\\.' LIMIT 1`,
      );
      if (rows.length > 0) found.push(`${table}.${column}`);
    }
    return found.sort();
  }

  it('is encrypted again with the first key by two workers at once in every table, and values that cannot be opened do not stop them', async () => {
    await start(`${NEW},${OLD}`);
    const places = await columnsWith('old');
    expect(places).toEqual([
      'alert_destinations.previous_secret',
      'alert_destinations.sealed_url',
      'alert_destinations.secret',
      'delivery_channels.signing_secret',
      'delivery_protected_headers.value',
      'project_secrets.value',
      'source_hooks.secret',
      'sso_sessions.id_token',
      'totp_factors.secret',
    ]);
    // These are more headers than a batch has that nobody can open, before and after the good one.
    const broken = `vold.${'A'.repeat(16)}.${'A'.repeat(22)}.AAAA`;
    await app.rows(
      `INSERT INTO delivery_protected_headers (id, project_id, channel_id, name, name_key, value, key_version)
       SELECT (lpad(to_hex(n % 2 * 15), 1) || lpad(to_hex(n), 7, '0') || '-0000-7000-8000-000000000000')::uuid,
              $1, $2, 'X-' || n, 'x-' || n, $3, 'old'
       FROM generate_series(1, $4::int) n`,
      [owner.projectId, channel, broken, 2 * BATCH + 50],
    );
    await Promise.all([round(), round()]);
    expect(await columnsWith('new')).toEqual(places);
    expect(await columnsWith('old')).toEqual(['delivery_protected_headers.value']);
    const left = await app.rows(
      `SELECT value, count(*)::int FROM delivery_protected_headers WHERE value LIKE 'vold.%' GROUP BY 1`,
    );
    expect(left).toEqual([{ value: broken, count: 2 * BATCH + 50 }]);
    expect(await app.rows(`SELECT key_version FROM delivery_protected_headers WHERE value LIKE 'vnew.%'`)).toEqual([
      { key_version: 'new' },
    ]);
    expect(app.logLines.join('\n')).toMatch(/values of delivery_protected_headers cannot be opened with the key old/);
    await app.rows('DELETE FROM delivery_protected_headers WHERE value = $1', [broken]);
    // No value is left to encrypt, so the next round writes nothing.
    const before = await app.rows('SELECT xmin::text FROM delivery_protected_headers');
    await round();
    expect(await app.rows('SELECT xmin::text FROM delivery_protected_headers')).toEqual(before);
  });

  it('is left alone by a round while another transaction changes it', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const [before] = await app.rows<{ id: string; value: string }>(
        'SELECT id, value FROM delivery_protected_headers',
      );
      await app.rows(`UPDATE delivery_protected_headers SET value = regexp_replace(value, '^vnew', 'vold')`);
      await client.query('BEGIN');
      await client.query('UPDATE delivery_protected_headers SET value = $1', [before?.value]);
      // The round would wait for the row without end if it did not skip it.
      await round();
      await client.query('COMMIT');
      expect(await app.rows('SELECT id, value FROM delivery_protected_headers')).toEqual([before]);
    } finally {
      await client.end();
    }
  });

  it('can be opened without the old key after a round', async () => {
    await app.close();
    await start(String(NEW));
    const tested = await deliveryOf(app, owner).send('post', `/channels/${channel}/test`);
    expect([tested.body.ok, receiver.received.at(-1)?.headers['x-token']]).toEqual([
      true,
      'header-value-0123 second-version',
    ]);
    await alertsOf(app, owner).send('post', `/v1/alert-destinations/${destination}/test`);
    const signed = receiver.received.at(-1);
    if (signed === undefined) throw new Error('nothing came');
    const signatures = ['secret-after', 'secret-before'].map((secret) => expectedSignature(secret, signed));
    expect(String(signed.headers['x-service-signature']).split(/, ?/)).toEqual(
      signatures.map((signature) => expect.stringContaining(signature.replace('v1=', '')) as unknown),
    );
    const { challenge_token } = await challengeFor(app, guarded.email);
    await forgetUsedCodes(app, guarded.id);
    await post(app, '/v1/auth/mfa/totp/verify', { challenge_token, code: totpCode(guarded.secret) }).expect(200);
    const kept = await everythingKept(app);
    for (const text of [
      'header-value-0123',
      'second-version',
      'secret-before',
      'secret-after',
      'slackpathsecret',
      guarded.secret,
      'id-token-0123',
    ])
      expect(kept).not.toContain(text);
  });

  it('is left alone while encryption is switched off', async () => {
    await app.close();
    await start('disabled');
    const rows = () => app.rows('SELECT value FROM delivery_protected_headers');
    const before = await rows();
    const ran = app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', INTERNAL_TOKEN);
    await ran.expect(200);
    expect(await rows()).toEqual(before);
  });

  it('is in a column that the doctor decrypts, with the keys that are configured', async () => {
    const shapes = app.nest
      .get(DiscoveryService, { strict: false })
      .getProviders()
      .flatMap(({ instance }) => (instance instanceof SealedColumn ? [instance.shape] : []));
    const byName = (columns: readonly SealedColumn['shape'][]): string[] =>
      columns.map((shape) => JSON.stringify(Object.entries(shape).toSorted())).toSorted();
    expect(byName(SEALED_COLUMNS.map(({ shape }) => shape))).toEqual(byName(shapes));

    const verdictWith = async (...keys: string[]): Promise<unknown> => {
      const config = loadConfig({ DATA_DIR: dataDir, CREDENTIAL_ENCRYPTION_KEYS: keys.join(',') });
      return (await checkEncryption(config, database.url))[0];
    };
    expect(await verdictWith(String(NEW), String(OLD))).toMatchObject({ state: 'ok' });
    const other = randomBytes(32).toString('base64');
    expect(await verdictWith(`new:${other}`, `old:${other}`)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('stored values cannot be decrypted') as unknown,
    });
    expect(await verdictWith(`another:${other}`)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('keys that are not configured') as unknown,
    });
  });
});
