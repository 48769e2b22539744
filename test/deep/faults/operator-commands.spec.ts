import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CommandOutcome, commandAnswer, runCommand, startCommand } from '../../support/cli-process.js';
import { cleanUp, folderWithDatabase, query, removeMadeDatabase } from '../../support/embedded-database.js';
import { freePort } from '../../support/free-port.js';
import { mailsTo, tokenIn, waitForMails } from '../../support/outbox.js';
import { eventually, runningDatabase, type ServiceProcess, startService } from '../../support/service-process.js';
import { type Account, call, HEALTH, ingestMessage, loginMessage, openAccount } from '../../support/service-traffic.js';
import { totpAt } from '../../support/totp.js';
import { PASSWORD, randomEmail } from '../../support/actors.js';

/** One service for the file, since its start takes seconds. Each command is a process, which takes half a second. */
describe('The command line of operators beside a running service', () => {
  let service: ServiceProcess;
  let dataDir: string;
  let databaseUrl: string;
  let owner: Account;
  let other: Account;

  beforeAll(async () => {
    dataDir = await folderWithDatabase();
    service = await startService({ env: { DATA_DIR: dataDir } });
    databaseUrl = (await runningDatabase(dataDir)).url;
    [owner, other] = await Promise.all([openAccount(service.url, dataDir), openAccount(service.url, dataDir)]);
  });
  afterAll(async () => {
    await cleanUp();
    await removeMadeDatabase();
  });

  const oes = (...words: string[]): Promise<CommandOutcome> => runCommand({ DATA_DIR: dataDir }, ...words);
  const answer = (...words: string[]): Promise<Record<string, unknown>> =>
    commandAnswer({ DATA_DIR: dataDir }, ...words);
  const get = (path: string, accessToken: string): ReturnType<typeof call> =>
    call(service.url, { path, headers: { Authorization: `Bearer ${accessToken}` } });
  const post = (path: string, accessToken: string, body: object): ReturnType<typeof call> =>
    call(service.url, {
      method: 'POST',
      path,
      headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const signIn = (email: string): ReturnType<typeof call> => call(service.url, loginMessage(email));
  const tokenOf = async (email: string): Promise<string> => {
    const { body } = await signIn(email);
    if (typeof body.access_token !== 'string') throw new Error(`no token: ${JSON.stringify(body)}`);
    return body.access_token;
  };
  const mailed = async (wanted: string): ReturnType<typeof mailsTo> =>
    eventually(
      async () => (await mailsTo(dataDir, other.email)).filter(({ subject }) => subject === wanted),
      ({ length }) => length > 0,
    );
  const organizationOf = async ({ accessToken }: Account): Promise<{ id: string; slug: string }> => {
    const { body } = await get('/v1/organizations', accessToken);
    const [first] = body as unknown as { id: string; slug: string }[];
    if (first === undefined) throw new Error('no organization');
    return first;
  };

  it('finds accounts by address and organizations by id and slug, and prints only the answer on standard output', async () => {
    const { id, slug } = await organizationOf(owner);
    const [list, shown, bySlug, byId] = await Promise.all([
      answer('users', 'list'),
      answer('users', 'show', owner.email.toUpperCase()),
      answer('organizations', 'show', slug.toUpperCase()),
      answer('organizations', 'show', id),
    ]);
    expect(list).toMatchObject({
      total: 2,
      items: expect.arrayContaining([expect.objectContaining({ email: owner.email, state: 'active' })]) as unknown,
    });
    expect(shown).toMatchObject({
      email: owner.email,
      active_sessions: 1,
      totp: false,
      organizations: [{ slug, role: 'owner' }],
    });
    expect(bySlug).toMatchObject({
      id,
      slug,
      plan: 'free',
      owner_email: owner.email,
      members: [{ email: owner.email, role: 'owner' }],
    });
    expect(byId).toEqual(bySlug);
    expect(await oes('users', 'show', 'nobody@example.com')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No account has the address nobody@example.com.\n',
    });
  });

  it('removes the second factors of an account, ends its sessions and mails its owner', async () => {
    const setUp = await post('/v1/account/two-factor/setup', other.accessToken, { current_password: PASSWORD });
    const code = totpAt(String(setUp.body.secret), Date.now() / 1_000);
    expect(await post('/v1/account/two-factor/enable', other.accessToken, { code })).toMatchObject({ status: 200 });
    expect((await signIn(other.email)).body).toMatchObject({ mfa_required: true });
    expect(await answer('users', 'reset-mfa', other.email)).toMatchObject({
      removed: { totp: true, passkeys: 0, recovery_codes: 10 },
      sessions_ended: 1,
    });
    await eventually(
      () => get('/v1/auth/me', other.accessToken),
      ({ status }) => status === 401,
    );
    const accessToken = await tokenOf(other.email);
    const events = await get('/v1/account/security-events', accessToken);
    expect((events.body.items as { type: string }[]).map(({ type }) => type)).toContain('second_factors_reset');
    const mails = await mailed('The second factors of your account were removed');
    expect(mails.at(-1)?.text).toContain('The people who run this service did this.');
  });

  it('keeps a disabled account from signing in like a wrong password does, until it is enabled', async () => {
    const accessToken = await tokenOf(other.email);
    expect(await answer('users', 'disable', other.email)).toMatchObject({ disabled: true });
    expect(await signIn(other.email)).toEqual({ status: 401, body: { detail: 'Incorrect email or password' } });
    await eventually(
      () => get('/v1/auth/me', accessToken),
      ({ status }) => status === 401,
    );
    await answer('users', 'enable', other.email);
    expect(await signIn(other.email)).toMatchObject({ status: 200 });
    await mailed('Your account was disabled');
    await mailed('Your account can sign in again');
  });

  it('revokes the links that an account was mailed when it disables the account', async () => {
    const accessToken = await tokenOf(other.email);
    const next = randomEmail();
    const change = { email: next, current_password: PASSWORD };
    expect(await post('/v1/account/email-change/request', accessToken, change)).toMatchObject({ status: 200 });
    const reset = { email: other.email };
    expect(await post('/v1/auth/password-reset/request', accessToken, reset)).toMatchObject({ status: 200 });
    const [confirmation] = await waitForMails(dataDir, next, 1);
    const [link] = await mailed('Choose a new password');
    if (confirmation === undefined || link === undefined) throw new Error('no mail');
    for (const command of ['disable', 'enable']) {
      await answer('users', command, other.email);
      const moved = await post('/v1/account/email-change/confirm', '', { token: tokenIn(confirmation) });
      const replaced = await post('/v1/auth/password-reset/confirm', '', {
        token: tokenIn(link),
        password: 'difference-engine-no-2',
      });
      expect([moved.status, replaced.status]).toEqual([400, 400]);
    }
    expect(await signIn(other.email)).toMatchObject({ status: 200 });
  });

  it('makes a member the owner of an organization, and sets its plan', async () => {
    const { id, slug } = await organizationOf(owner);
    const accessToken = await tokenOf(other.email);
    expect(await oes('organizations', 'transfer', slug, other.email)).toMatchObject({
      code: 1,
      stderr: 'Member not found.\n',
    });
    await query(
      databaseUrl,
      `INSERT INTO organization_members (organization_id, user_id, role)
       SELECT '${id}', id, 'viewer' FROM users WHERE email = '${other.email}'`,
    );
    await answer('organizations', 'transfer', slug, other.email);
    await answer('organizations', 'set-plan', id, 'scale');
    const { body } = await get(`/v1/organizations/${id}/members`, accessToken);
    const roles = (body as unknown as { role: string }[]).map(({ role }) => role);
    expect(roles.toSorted()).toEqual(['admin', 'owner']);
    expect(await get(`/v1/organizations/${id}`, accessToken)).toMatchObject({ status: 200 });
    expect(await answer('organizations', 'show', id)).toMatchObject({ plan: 'scale', owner_email: other.email });
  });

  it('revokes a key by its id or prefix, and only lists the keys when a prefix fits several', async () => {
    const keys = await get(`/v1/api-keys?project_id=${owner.projectId}`, owner.accessToken);
    const [key] = keys.body as unknown as { id: string; prefix: string }[];
    const common = key?.prefix.slice(0, 4) ?? '';
    // The prefixes are random, so one is made that fits both.
    await query(databaseUrl, `UPDATE api_keys SET prefix = '${common}' || substr(prefix, 5)`);
    const ambiguous = await oes('keys', 'revoke', common);
    expect(ambiguous).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(key?.id ?? '-') as unknown,
    });
    expect(ambiguous.stderr).not.toContain(owner.apiKey);
    expect(await call(service.url, ingestMessage(owner, 'before'))).toMatchObject({ status: 200 });
    expect(await answer('keys', 'revoke', key?.id ?? '')).toMatchObject({ revoked: true, was_revoked: false });
    await eventually(
      () => call(service.url, ingestMessage(owner, 'after')),
      ({ status }) => status === 403,
    );
    // A revoked key does not make the prefix of the other key ambiguous.
    expect(await answer('keys', 'revoke', common)).toMatchObject({ project_id: other.projectId, was_revoked: false });
    const revoked = await oes('keys', 'revoke', common);
    expect(revoked).toMatchObject({ code: 1, stderr: expect.stringMatching(/REVOKED\n.*Z\n.*Z\n$/) as unknown });
  });

  it('prints the newest audit events, and with --follow each later one once', async () => {
    const tail = startCommand({ DATA_DIR: dataDir }, 'audit', 'tail', '--follow', '--json', '-n', '3');
    if (tail.stdout === null) throw new Error('the command has no output');
    const actions: string[] = [];
    createInterface({ input: tail.stdout }).on('line', (line) =>
      actions.push((JSON.parse(line) as { action: string }).action),
    );
    const actionsAre = (count: number): Promise<string[]> =>
      eventually(
        () => Promise.resolve(actions),
        ({ length }) => length >= count,
      );
    expect((await actionsAre(3)).at(-1)).toBe('api_key.revoked');
    const project = { organization_id: (await organizationOf(owner)).id, name: 'Second', slug: 'second' };
    expect(await post('/v1/projects', owner.accessToken, project)).toMatchObject({ status: 201 });
    expect((await actionsAre(4)).slice(3)).toEqual(['project.created']);
    tail.kill('SIGTERM');
    expect(await once(tail, 'close')).toEqual([0, null]);
  });

  it('names the transaction of the database that "audit tail --follow" waits for', async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const tail = startCommand({ DATA_DIR: dataDir }, 'audit', 'tail', '--follow');
      let errors = '';
      tail.stderr?.setEncoding('utf8').on('data', (text: string) => void (errors += text));
      const sentence = new RegExp(`^Later events .* process ${rows[0]?.pid} of the database .* \\d+ seconds\\.\n$`);
      expect(await eventually(() => Promise.resolve(errors), Boolean)).toMatch(sentence);
      tail.kill('SIGTERM');
      expect(await once(tail, 'close')).toEqual([0, null]);
      expect(errors).toMatch(sentence);
    } finally {
      await client.end();
    }
  });

  it('deletes an organization that has other members only with --with-members', async () => {
    const { id, slug } = await organizationOf(owner);
    const upload = { project_id: owner.projectId, key: 'a.bin', size: 10 };
    expect(await post('/v1/core/uploads', owner.accessToken, upload)).toMatchObject({ status: 201 });
    const refused = await oes('organizations', 'delete', slug, '--yes');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('other members') as unknown });
    expect(await answer('organizations', 'delete', slug, '--yes', '--with-members')).toMatchObject({
      id,
      deleted: true,
    });
    expect(await get(`/v1/organizations/${id}`, owner.accessToken)).toMatchObject({ status: 404 });
    const [deleted] = await query(
      databaseUrl,
      `SELECT actor_user_id, request_id LIKE 'command-%' AS "isOfCommand" FROM audit_events WHERE action = 'organization.deleted'`,
    );
    expect(deleted).toEqual({ actor_user_id: null, isOfCommand: true });
    const blobs = await query(databaseUrl, `SELECT state FROM stored_blobs WHERE organization_id = '${id}'`);
    expect(blobs).toEqual([{ state: 'doomed' }]);
  });

  it('leaves the service and its database running', async () => {
    expect(await call(service.url, HEALTH)).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect((await runningDatabase(dataDir)).url).toBe(databaseUrl);
  });
});

describe('A command of operators without a database', () => {
  it('exits with the code of a wrong configuration when no database answers, and says why', async () => {
    const address = `localhost:${await freePort()}`;
    const env = { DATABASE_URL: `postgresql://service:${PASSWORD}@${address}/service` };
    const { code, stdout, stderr } = await runCommand(env, 'users', 'list');
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(/^The database does not answer \(nothing listens at the address, ECONNREFUSED\): .*\n$/);
    expect(stderr).not.toContain(PASSWORD);
  });

  it('does not create one, and exits with the code of a wrong configuration', async () => {
    const { code, stdout, stderr } = await runCommand({ DATA_DIR: '/nowhere/data' }, 'users', 'list');
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toContain('There is no database in the data folder');
  });
});
