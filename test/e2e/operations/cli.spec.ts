import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { guardedByTotp } from '../../support/second-factors-api.js';
import { api, PASSWORD, service, type Tenant, tenant } from '../../support/service.js';
import { UserShell } from '../../support/user-shell.js';

// Commands that do not need each other run together.
describe('The command line for users', () => {
  let acme: Tenant;
  let shell: UserShell;

  beforeAll(async () => {
    [acme, shell] = await Promise.all([tenant(), UserShell.open()]);
    shell.tenant = acme;
  });
  afterAll(() => shell.close());

  it('signs in with a second factor, stores the tokens for the user alone and refreshes the session', async () => {
    const person = await guardedByTotp();
    const home = { XDG_CONFIG_HOME: join(shell.folder, 'home'), OES_TOKEN: '' };
    const input = `${PASSWORD}\n${person.recoveryCodes[0]}\n`;
    const done = await shell.run(['login', '--email', person.email], home, input);
    expect(done).toMatchObject({ code: 0, stderr: '' });

    const path = join(shell.folder, 'home/oes/credentials.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const stored = JSON.parse(await readFile(path, 'utf8')) as {
      services: Record<string, { access_token: string; refresh_token: string; expires_at: number }>;
    };
    const session = stored.services[service.url]!;
    expect(done.stdout).not.toContain(session.access_token);
    session.expires_at = 0;
    await writeFile(path, JSON.stringify(stored));
    expect(await shell.run(['query', 'any where true', '--project', 'none'], home)).toMatchObject({
      code: 1,
      stderr: 'You have no project none\n',
    });
    expect(await readFile(path, 'utf8')).not.toContain(session.refresh_token);
  });

  it('refuses a wrong password, an unencrypted address and a key where a person is needed', async () => {
    const [wrong, open, key] = await Promise.all([
      shell.run(['login', '--email', acme.owner.email], {}, 'wrong password\n'),
      shell.run(['export', '--url', 'http://events.example.com']),
      shell.run(['export'], { OES_TOKEN: acme.key.apiKey }),
    ]);
    expect(wrong).toEqual({ code: 1, stdout: '', stderr: 'Incorrect email or password (status 401)\n' });
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-http') });
    expect(key).toMatchObject({ code: 2, stderr: expect.stringContaining('access token') });
  });

  it('sends files and the standard input, names refused lines, and continues a run without duplicates', async () => {
    const line = (event: object) => JSON.stringify({ event_type: 'deploy', source: 'ci', ...event });
    const ndjson = await shell.file(
      'events.ndjson',
      `${line({ message: 'one' })}\n\nno json\n${line({ message: 'two' })}\n`,
    );
    const array = await shell.file('events.json', `[${line({})}, {"source": "ci"}]`);
    const environment = { OES_TOKEN: acme.key.apiKey };
    const [sent, ofInput] = await Promise.all([
      shell.run(['send', ndjson, array, '--json', '--run-id', 'nightly'], environment),
      shell.run(['send'], environment, line({})),
    ]);
    expect(ofInput).toEqual({ code: 0, stdout: '1 accepted, 0 duplicate, 0 refused\n', stderr: '' });
    expect(sent.code).toBe(1);
    expect(JSON.parse(sent.stdout)).toEqual({
      accepted: 3,
      duplicate: 0,
      refused: 2,
      refusals: [
        { file: ndjson, line: 3, detail: expect.any(String) },
        { file: array, line: 2, detail: expect.stringContaining('event_type') },
      ],
      run_id: 'nightly',
    });
    const [again, other] = await Promise.all([
      shell.run(['send', ndjson, array, '--run-id', 'nightly'], environment),
      shell.run(['send', array, '--run-id', 'nightly'], environment),
    ]);
    expect(again.stdout).toBe('0 accepted, 3 duplicate, 2 refused\n');
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('different request payload (status 409)') });
    const listed = await api.as(acme.owner).get('/v1/events', { project_id: acme.projectId }).expect(200);
    const { items } = listed.body as { items: { source: string }[] };
    expect(items.filter(({ source }) => source === 'ci')).toHaveLength(4);
  });

  it('sends each line at once with --live, shows it in tail, and finds it by a query', async () => {
    const environment = { OES_TOKEN: acme.key.apiKey };
    const tail = shell.start(['tail', '--json', '--severity', 'critical']);
    const live = shell.start(['send', '--live'], environment);
    live.child.stdin?.write('{"event_type":"db.down","source":"ops","severity":"critical","message":"a\\u001bb"}\n');
    live.child.stdin?.write('{"event_type":"db.up","source":"ops","severity":"info"}\n');
    await eventually(
      () => tail.stdout,
      (text) => text.includes('db.down'),
    );
    expect(tail.stdout).not.toContain('db.up');
    const queries = [shell.run(['query', 'db.down where true']), shell.run(['query', 'db.down were'])];
    tail.child.kill('SIGINT');
    live.child.kill('SIGINT');
    expect(await tail.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await live.ended).toMatchObject({ code: 0, stdout: '2 accepted, 0 duplicate, 0 refused\n' });

    const [found, faulty] = await Promise.all(queries);
    expect(found).toMatchObject({ code: 0, stdout: expect.stringMatching(/critical {2}db\.down {2}ops {5}a b$/m) });
    expect(faulty).toMatchObject({ code: 1, stderr: expect.stringContaining('query: line 1, column 9') });
  });

  it('ends tail without a message when its reader has gone', async () => {
    const tail = shell.start(['tail', '--json']);
    tail.child.stdout?.destroy();
    const send = await shell.run(['send'], { OES_TOKEN: acme.key.apiKey }, '{"event_type":"a","source":"b"}');
    expect(send.code).toBe(0);
    expect(await tail.ended).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
