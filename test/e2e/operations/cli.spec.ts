import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { lazyOptimizer } from '../../support/lazy-optimizer.mjs';
import { api, PASSWORD, service, type Tenant, tenant } from '../../support/service.js';
import { guardedByTotp } from '../../support/second-factors-api.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<Output>;
  stdout: string;
}

let folder: string;
let acme: Tenant;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oes-cli-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Starts a command with the environment of the owner's shell. */
function start(words: readonly string[], environment: Record<string, string> = {}, input?: string): Run {
  const child = spawn(process.execPath, [lazyOptimizer(8), join(ROOT, 'dist/src/cli.js'), ...words], {
    env: {
      PATH: process.env.PATH,
      XDG_CONFIG_HOME: folder,
      OES_URL: service.url,
      OES_TOKEN: acme.owner.accessToken,
      OES_PROJECT: acme.projectId,
      ...environment,
    },
  });
  const run: { -readonly [Name in keyof Run]: Run[Name] } = { child, stdout: '', ended: Promise.resolve({} as Output) };
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (run.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
  run.ended = new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout: run.stdout, stderr }));
  });
  if (input !== undefined) child.stdin.end(input);
  return run;
}

function oes(words: readonly string[], environment?: Record<string, string>, input = ''): Promise<Output> {
  return start(words, environment, input).ended;
}

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

// A command is a process, which takes a second of a busy machine. Commands that do not need each other run together.
describe('The command line for users', () => {
  beforeAll(async () => {
    acme = await tenant();
  });

  it('signs in with a second factor, stores the tokens for the user alone and refreshes the session', async () => {
    const person = await guardedByTotp();
    const home = { XDG_CONFIG_HOME: join(folder, 'home'), OES_TOKEN: '' };
    const input = `${PASSWORD}\n${person.recoveryCodes[0]}\n`;
    const done = await oes(['login', '--email', person.email], home, input);
    expect(done).toMatchObject({ code: 0, stderr: '' });

    const path = join(folder, 'home/oes/credentials.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const stored = JSON.parse(await readFile(path, 'utf8')) as {
      services: Record<string, { access_token: string; refresh_token: string; expires_at: number }>;
    };
    const session = stored.services[service.url]!;
    expect(done.stdout).not.toContain(session.access_token);
    session.expires_at = 0;
    await writeFile(path, JSON.stringify(stored));
    expect(await oes(['query', 'any where true', '--project', 'none'], home)).toMatchObject({
      code: 1,
      stderr: 'You have no project none\n',
    });
    expect(await readFile(path, 'utf8')).not.toContain(session.refresh_token);
  });

  it('refuses a wrong password, an unencrypted address and a key where a person is needed', async () => {
    const [wrong, open, key] = await Promise.all([
      oes(['login', '--email', acme.owner.email], {}, 'wrong password\n'),
      oes(['export', '--url', 'http://events.example.com']),
      oes(['export'], { OES_TOKEN: acme.key.apiKey }),
    ]);
    expect(wrong).toEqual({ code: 1, stdout: '', stderr: 'Incorrect email or password (status 401)\n' });
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-http') });
    expect(key).toMatchObject({ code: 2, stderr: expect.stringContaining('access token') });
  });

  it('sends files and the standard input, names refused lines, and continues a run without duplicates', async () => {
    const line = (event: object) => JSON.stringify({ event_type: 'deploy', source: 'ci', ...event });
    const ndjson = await file('events.ndjson', `${line({ message: 'one' })}\n\nno json\n${line({ message: 'two' })}\n`);
    const array = await file('events.json', `[${line({})}, {"source": "ci"}]`);
    const environment = { OES_TOKEN: acme.key.apiKey };
    const [sent, ofInput] = await Promise.all([
      oes(['send', ndjson, array, '--json', '--run-id', 'nightly'], environment),
      oes(['send'], environment, line({})),
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
      oes(['send', ndjson, array, '--run-id', 'nightly'], environment),
      oes(['send', array, '--run-id', 'nightly'], environment),
    ]);
    expect(again.stdout).toBe('0 accepted, 3 duplicate, 2 refused\n');
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('different request payload (status 409)') });
    const listed = await api.as(acme.owner).get('/v1/events', { project_id: acme.projectId }).expect(200);
    const { items } = listed.body as { items: { source: string }[] };
    expect(items.filter(({ source }) => source === 'ci')).toHaveLength(4);
  });

  it('sends each line at once with --live, shows it in tail, and finds it by a query', async () => {
    const environment = { OES_TOKEN: acme.key.apiKey };
    const tail = start(['tail', '--json', '--severity', 'critical']);
    const live = start(['send', '--live'], environment);
    live.child.stdin?.write('{"event_type":"db.down","source":"ops","severity":"critical","message":"a\\u001bb"}\n');
    live.child.stdin?.write('{"event_type":"db.up","source":"ops","severity":"info"}\n');
    await eventually(
      () => tail.stdout,
      (text) => text.includes('db.down'),
    );
    expect(tail.stdout).not.toContain('db.up');
    const queries = [oes(['query', 'db.down where true']), oes(['query', 'db.down were'])];
    tail.child.kill('SIGINT');
    live.child.kill('SIGINT');
    expect(await tail.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await live.ended).toMatchObject({ code: 0, stdout: '2 accepted, 0 duplicate, 0 refused\n' });

    const [found, faulty] = await Promise.all(queries);
    expect(found).toMatchObject({ code: 0, stdout: expect.stringMatching(/critical {2}db\.down {2}ops {5}a b$/m) });
    expect(faulty).toMatchObject({ code: 1, stderr: expect.stringContaining('query: line 1, column 9') });
  });

  it('ends tail without a message when its reader has gone', async () => {
    const tail = start(['tail', '--json']);
    tail.child.stdout?.destroy();
    const send = await oes(['send'], { OES_TOKEN: acme.key.apiKey }, '{"event_type":"a","source":"b"}');
    expect(send.code).toBe(0);
    expect(await tail.ended).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

const GUIDE = join(ROOT, 'docs/guide/alerts-as-code.md');
const EXISTS = { field: 'message', op: 'exists', value: true };
const TEXTS_OF_RULES = [
  { runbook_url: 'HTTP://10.0.0.1:8080/wiki?page=1#top', notes: 'null' },
  { notes: ' # First:\t"call"\r\n\n- \'then\' write \n' },
  { notes: '' },
  { notes: '🔥'.repeat(4_000) },
];
const VALUES = {
  OES_SECRET_INCIDENT_TOOL_SECRET: 'top',
  OES_SECRET_OPERATIONS_ROOM_URL: 'http://127.0.0.1:1/chat',
};

describe('A file of alerts', () => {
  let example: string;

  beforeEach(async () => {
    acme = await tenant();
  });

  beforeAll(async () => {
    const [, text = ''] = /```yaml\n(.*?)```/s.exec(await readFile(GUIDE, 'utf8')) ?? [];
    // A silence ends at most a year ahead, and names of hosts would be looked up.
    const soon = text.replaceAll('2030-01-15', new Date(Date.now() + 86_400_000).toISOString().slice(0, 10));
    example = await file('example.yaml', soon.replaceAll(/https:\/\/\w+\.example\.com/g, 'http://127.0.0.1:1'));
  });

  const addSecret = () =>
    api.as(acme.owner).post('/v1/secrets', { project_id: acme.projectId, name: 'PAGER_TOKEN', value: 'x' }).expect(201);

  it('makes a project equal to the example of the guide, and its export describes the project without a difference', async () => {
    await addSecret();
    const [planned, refused] = await Promise.all([oes(['diff', '-f', example]), oes(['apply', '-f', example])]);
    expect(planned).toMatchObject({ code: 3, stdout: expect.stringContaining('7 planned') });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('OES_SECRET_OPERATIONS_ROOM_URL') });
    expect(await oes(['apply', '-f', example], VALUES)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^7 made, 0 unchanged$/m),
      stderr: expect.stringMatching(/^channel "On call" signs its requests\. .*\n$/),
    });
    const [second, exported] = await Promise.all([oes(['apply', '-f', example, '--prune']), oes(['export'])]);
    expect(second).toEqual({ code: 0, stdout: 'Nothing to do: 7 unchanged\n', stderr: '' });
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(exported.stdout).not.toContain('/chat');
    const path = await file('exported.yaml', exported.stdout);
    expect(await oes(['diff', '-f', path, '--prune'])).toMatchObject({
      code: 0,
      stdout: 'Nothing to do: 7 unchanged\n',
    });
  });

  it('updates what it changes, and deletes what it lacks only with --prune', async () => {
    const as = api.as(acme.owner);
    const project = { project_id: acme.projectId };
    const before = await file(
      'before.yaml',
      `channels:
  - { name: Mail, type: email, configuration: { to: [A@EXAMPLE.com], retry_policy: { max_attempts: 1 } } }
  - { name: Kept, type: webhook, configuration: { url: 'http://127.0.0.1:1' } }
rules:
  - { name: One, condition: { kind: match }, channels: [Mail] }
  - { name: Two, condition: { kind: match } }`,
    );
    expect(await oes(['apply', '-f', before])).toMatchObject({ code: 0 });
    const difference = oes(['diff', '-f', before]);
    const channels = (await as.get('/v1/delivery/channels', project).expect(200)).body as {
      id: string;
      name: string;
    }[];
    const kept = channels.find(({ name }) => name === 'Kept')!;
    await as.post(`/v1/delivery/channels/${kept.id}/test?project_id=${acme.projectId}`).expect(200);
    expect((await difference).stdout).toBe('Nothing to do: 4 unchanged\n');
    const after = await file(
      'after.yaml',
      `channels: []\nrules: [{ name: Two, severity: critical, condition: { kind: absence, window_seconds: 60 }, notes: Call }]`,
    );
    const changed = await oes(['apply', '-f', after, '--json']);
    expect(JSON.parse(changed.stdout)).toMatchObject({
      changes: [
        {
          action: 'update',
          kind: 'rules',
          name: 'Two',
          members: [
            { member: 'severity', from: 'warning', to: 'critical' },
            { member: 'condition', from: { kind: 'match' }, to: { kind: 'absence', window_seconds: 60 } },
            { member: 'notes', from: null, to: 'Call' },
          ],
        },
      ],
    });
    expect((await as.get('/v1/alert-rules', project).expect(200)).body).toHaveLength(2);
    const pruned = await oes(['apply', '-f', after, '--prune']);
    expect(pruned.stdout).toMatch(/^- rule "One"$.*^- channel "Mail"$.*^3 made, 1 unchanged$/ms);
    expect(pruned.stderr).toBe('channel "Kept" is disabled, not deleted, since deliveries refer to it.\n');
    expect((await as.get('/v1/alert-rules', project).expect(200)).body).toMatchObject([
      { name: 'Two', notes: 'Call', runbook_url: null },
    ]);
    expect((await as.get('/v1/delivery/channels', project).expect(200)).body).toMatchObject([
      { name: 'Kept', enabled: false },
    ]);
  });

  it('describes whatever the API holds, so that an export has no difference', async () => {
    const as = api.as(acme.owner);
    const create = (path: string, body: object) => as.post(path, { project_id: acme.projectId, ...body }).expect(201);
    const url = 'http://127.0.0.1:1/a?b=c';
    const ofUrl = { type: 'webhook', target_url: url, secret: 's', is_enabled: false };
    const slack = { name: '# "\'', type: 'slack', target_url: url };
    const webhook = {
      url,
      method: 'PUT',
      headers: { 'X-a': 'yes', 'x-B': ' 1e3' },
      retry_policy: { max_attempts: 0 },
    };
    const email = { to: ['B@EXAMPLE.com', 'a@example.com'], subject_prefix: '[x] ' };
    const protectedHeaders = [{ name: 'Authorization', value: 'literal' }];
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const [{ body }] = await Promise.all([
      create('/v1/alert-destinations', slack),
      create('/v1/alert-destinations', { name: 'true', ...ofUrl }),
      create('/v1/delivery/channels', {
        name: '2026-01-01',
        type: 'webhook',
        enabled: false,
        configuration: webhook,
        protected_headers: protectedHeaders,
      }),
      create('/v1/delivery/channels', { name: 'Ünicode: #1', type: 'email', configuration: email }),
      create('/v1/alerts/silences', { filter: EXISTS, reason: 'A\nB', ends_at: inAnHour }),
    ]);
    const { id } = body as { id: string };
    const window = { window_seconds: 60 };
    const conditions = [
      {
        kind: 'match',
        any: [{ field: 'properties.a.b', op: 'in', value: ['1', 1, 1.5, true] }, { not: { all: [EXISTS] } }],
      },
      { kind: 'threshold', ...window, aggregate: 'count', aggregate_field: null, op: 'gt', value: 1e21 },
      { kind: 'rate_of_change', ...window, aggregate: 'count', compare_seconds: 60, direction: 'up', percent: 0.5 },
      { kind: 'absence', ...window },
      { kind: 'anomaly', finding_kinds: ['silence'], not: { field: 'score', op: 'lt', value: 0.5 } },
    ];
    await Promise.all(
      conditions.map((condition, index) => {
        const linked = index === 0 ? { destination_ids: [id], group_by: ['source', 'event'], is_enabled: false } : {};
        const rule = { name: `Rule ${index}`, condition, cooldown_seconds: index, ...linked };
        return create('/v1/alert-rules', { ...rule, ...TEXTS_OF_RULES[index] });
      }),
    );
    const exported = await oes(['export']);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(await oes(['diff', '--prune', '-f', '-'], {}, exported.stdout)).toEqual({
      code: 0,
      stdout: 'Nothing to do: 10 unchanged\n',
      stderr: '',
    });
  });

  it('is completed by the next run when the service has refused a change in the middle', async () => {
    const text = (field: string) => `destinations: [{ name: Hook, type: webhook, target_url: 'http://127.0.0.1:1' }]
rules:
  - { name: One, condition: { kind: match }, destinations: [Hook] }
  - { name: Two, condition: { kind: match, not: { field: ${field}, op: exists, value: true } }, destinations: [Hook] }`;
    const cut = await oes(['apply', '-f', await file('cut.yaml', text('no_field'))]);
    expect(cut).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cut\.yaml:4: rule "Two": condition\.not\.field: /),
    });
    expect(cut.stdout).toBe('+ destination "Hook"\n+ rule "One"\n2 made, 0 unchanged\n');
    const next = await oes(['apply', '-f', await file('whole.yaml', text('message'))]);
    expect(next).toEqual({ code: 0, stdout: '+ rule "Two"\n1 made, 2 unchanged\n', stderr: '' });
  });

  it('is refused with every fault at its line, and nothing is applied', async () => {
    const faulty = await file(
      'faulty.yaml',
      `destinations:
  - { name: A, type: webhook, target_url: https://a.example.com, secret: plain }
rules:
  - name: One
    severety: info
    condition: { kind: match, all: [{ field: event, op: eq, valeu: x }] }
  - name: One
    condition: { kind: match }
    for_seconds: long
---
rules:
  - { name: Two, condition: { kind: match }, destinations: [A, B], channels: [C] }
silence: []
`,
    );
    const { code, stderr } = await oes(['apply', '-f', faulty]);
    expect(code).toBe(2);
    expect(stderr.replaceAll(`${faulty}:`, '').trim().split('\n')).toEqual([
      '2: destinations.0.secret: must refer to a secret, such as {{secret:NAME}}',
      '5: rules.0.severety: Unrecognized key: "severety"',
      '6: rules.0.condition.all.0.valeu: Unrecognized key: "valeu"',
      expect.stringMatching(/^7: rules has "One" already at .*4$/),
      expect.stringMatching(/^9: rules\.1\.for_seconds: .*number/),
      '12: rule "Two": there is no channel "C"',
      '12: rule "Two": there is no destination "B"',
      expect.stringMatching(/^13: unknown list "silence"/),
    ]);
    const rules = await api.as(acme.owner).get('/v1/alert-rules', { project_id: acme.projectId }).expect(200);
    expect(rules.body).toEqual([]);
  });
});
