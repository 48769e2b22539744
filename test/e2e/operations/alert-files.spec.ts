import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { api, type Tenant, tenant } from '../../support/service.js';
import { UserShell } from '../../support/user-shell.js';

const GUIDE = new URL('../../../docs/guide/alerts-as-code.md', import.meta.url);
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
  let acme: Tenant;
  let shell: UserShell;
  let example: string;

  beforeEach(async () => {
    acme = await tenant();
    shell.tenant = acme;
  });
  afterAll(() => shell.close());

  beforeAll(async () => {
    shell = await UserShell.open();
    const [, text = ''] = /```yaml\n(.*?)```/s.exec(await readFile(GUIDE, 'utf8')) ?? [];
    // A silence ends at most a year ahead, and names of hosts would be looked up.
    const soon = text.replaceAll('2030-01-15', new Date(Date.now() + 86_400_000).toISOString().slice(0, 10));
    example = await shell.file('example.yaml', soon.replaceAll(/https:\/\/\w+\.example\.com/g, 'http://127.0.0.1:1'));
  });

  const addSecret = () =>
    api.as(acme.owner).post('/v1/secrets', { project_id: acme.projectId, name: 'PAGER_TOKEN', value: 'x' }).expect(201);

  it('makes a project equal to the example of the guide, and its export describes the project without a difference', async () => {
    await addSecret();
    const [planned, refused] = await Promise.all([
      shell.run(['diff', '-f', example]),
      shell.run(['apply', '-f', example]),
    ]);
    expect(planned).toMatchObject({ code: 3, stdout: expect.stringContaining('7 planned') });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('OES_SECRET_OPERATIONS_ROOM_URL') });
    expect(await shell.run(['apply', '-f', example], VALUES)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^7 made, 0 unchanged$/m),
      stderr: expect.stringMatching(/^channel "On call" signs its requests\. .*\n$/),
    });
    const [second, exported] = await Promise.all([
      shell.run(['apply', '-f', example, '--prune']),
      shell.run(['export']),
    ]);
    expect(second).toEqual({ code: 0, stdout: 'Nothing to do: 7 unchanged\n', stderr: '' });
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(exported.stdout).not.toContain('/chat');
    const path = await shell.file('exported.yaml', exported.stdout);
    expect(await shell.run(['diff', '-f', path, '--prune'])).toMatchObject({
      code: 0,
      stdout: 'Nothing to do: 7 unchanged\n',
    });
  });

  it('updates what it changes, and deletes what it lacks only with --prune', async () => {
    const as = api.as(acme.owner);
    const project = { project_id: acme.projectId };
    const before = await shell.file(
      'before.yaml',
      `channels:
  - { name: Mail, type: email, configuration: { to: [A@EXAMPLE.com], retry_policy: { max_attempts: 1 } } }
  - { name: Kept, type: webhook, configuration: { url: 'http://127.0.0.1:1' } }
rules:
  - { name: One, condition: { kind: match }, channels: [Mail] }
  - { name: Two, condition: { kind: match } }`,
    );
    expect(await shell.run(['apply', '-f', before])).toMatchObject({ code: 0 });
    const difference = shell.run(['diff', '-f', before]);
    const channels = (await as.get('/v1/delivery/channels', project).expect(200)).body as {
      id: string;
      name: string;
    }[];
    const kept = channels.find(({ name }) => name === 'Kept')!;
    await as.post(`/v1/delivery/channels/${kept.id}/test?project_id=${acme.projectId}`).expect(200);
    expect((await difference).stdout).toBe('Nothing to do: 4 unchanged\n');
    const after = await shell.file(
      'after.yaml',
      `channels: []\nrules: [{ name: Two, severity: critical, condition: { kind: absence, window_seconds: 60 }, notes: Call }]`,
    );
    const changed = await shell.run(['apply', '-f', after, '--json']);
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
    const pruned = await shell.run(['apply', '-f', after, '--prune']);
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
    const exported = await shell.run(['export']);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(await shell.run(['diff', '--prune', '-f', '-'], {}, exported.stdout)).toEqual({
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
    const cut = await shell.run(['apply', '-f', await shell.file('cut.yaml', text('no_field'))]);
    expect(cut).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cut\.yaml:4: rule "Two": condition\.not\.field: /),
    });
    expect(cut.stdout).toBe('+ destination "Hook"\n+ rule "One"\n2 made, 0 unchanged\n');
    const next = await shell.run(['apply', '-f', await shell.file('whole.yaml', text('message'))]);
    expect(next).toEqual({ code: 0, stdout: '+ rule "Two"\n1 made, 2 unchanged\n', stderr: '' });
  });

  it('is refused with every fault at its line, and nothing is applied', async () => {
    const faulty = await shell.file(
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
    const { code, stderr } = await shell.run(['apply', '-f', faulty]);
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
