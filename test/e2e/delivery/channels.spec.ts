import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../../src/platform/ids/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  DELIVERY_ENV,
  type DeliveryClient,
  deliveryOf,
  type Json,
  makeDue,
  ruleMatch,
  runRetries,
} from '../../support/delivery.js';
import { createTestDatabase } from '../../support/postgres.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';

const SECRET = 'protected-value-0123456789';

describe('delivery channels', () => {
  let app: TestApp;
  let owner: Owner;
  let delivery: DeliveryClient;
  let receiver: Receiver;
  const url = (): string => `${receiver.url}/hook`;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
    owner = await ownerWithProject(app);
    delivery = deliveryOf(app, owner);
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  async function refused(channel: object, loc: (string | number)[], msg: RegExp): Promise<void> {
    const before = await app.rows('SELECT count(*) FROM delivery_channels');
    const { status, body } = await delivery.create({ type: 'webhook', ...channel });
    expect([status, body.detail]).toEqual([
      422,
      expect.arrayContaining([expect.objectContaining({ loc, msg: expect.stringMatching(msg) })]),
    ]);
    expect(await app.rows('SELECT count(*) FROM delivery_channels')).toEqual(before);
  }

  it('are a hundred of a project at most, however many are made at once; those there are stay', async () => {
    const full = await ownerWithProject(app);
    await app.rows(
      `INSERT INTO delivery_channels (id, project_id, name, type, enabled, configuration)
       SELECT gen_random_uuid(), $1, 'C', 'webhook', true, '{"url": "https://hooks.example.com/"}' FROM generate_series(1, 98)`,
      [full.projectId],
    );
    const channels = deliveryOf(app, full);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => channels.create({ type: 'webhook', configuration: { url: url() } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: 'Project has too many channels' });
    const [one] = (await channels.get('/channels')).body as Json[];
    expect((await channels.send('patch', `/channels/${one.id}`, { name: 'Still mine' })).status).toBe(200);
    expect((await channels.send('delete', `/channels/${one.id}`)).status).toBe(204);
    await channels.webhook(url());
  });

  it('are created with their defaults, listed newest first, and changed', async () => {
    const first = await delivery.create({ name: 'Hook', type: 'webhook', configuration: { url: url() } });
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: expect.any(String),
        project_id: owner.projectId,
        name: 'Hook',
        type: 'webhook',
        enabled: true,
        configuration: { url: url(), method: 'POST', headers: {} },
        protected_headers: [],
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const mail = { to: ['on-call@example.com', 'Ops@Example.com'], subject_prefix: '[prod]' };
    const second = await delivery.create({ name: 'Mail', type: 'email', enabled: false, configuration: mail });
    expect(second.body).toMatchObject({ type: 'email', enabled: false, configuration: mail });
    const list = await delivery.get('/channels');
    expect(list.body.map(({ id }: Json) => id)).toEqual([second.body.id, first.body.id]);

    const changed = await delivery.send('patch', `/channels/${first.body.id}`, { name: 'Other', enabled: false });
    expect(changed.body).toMatchObject({ name: 'Other', enabled: false, configuration: first.body.configuration });
    expect(Date.parse(changed.body.updated_at)).toBeGreaterThan(Date.parse(first.body.updated_at));
    const replaced = await delivery.send('patch', `/channels/${first.body.id}`, {
      configuration: { url: url(), method: 'PATCH', retry_policy: { max_attempts: '7' } },
    });
    expect(replaced.body.configuration).toEqual({
      url: url(),
      method: 'PATCH',
      headers: {},
      retry_policy: { strategy: 'exponential', base_delay_seconds: 60, max_delay_seconds: 900, max_attempts: 7 },
    });
    expect(await delivery.send('patch', `/channels/${first.body.id}`, { name: null })).toMatchObject({ status: 422 });
    expect(await delivery.send('patch', `/channels/${newId()}`, { name: '' })).toMatchObject({
      status: 404,
      body: { detail: 'Notification channel not found' },
    });
  });

  it.each([
    ['no configuration', {}, ['body', 'configuration', 'url'], /Field required/],
    [
      'an address of another scheme',
      { configuration: { url: 'ftp://example.com/' } },
      ['body', 'configuration', 'url'],
      /scheme/,
    ],
    [
      'credentials in the query',
      { configuration: { url: 'https://example.com/?api_key=k' } },
      ['body', 'configuration', 'url'],
      /credentials/,
    ],
    [
      'a user name',
      { configuration: { url: 'https://a:b@example.com/' } },
      ['body', 'configuration', 'url'],
      /user name/,
    ],
    ['a private address', { configuration: { url: 'http://10.0.0.1/' } }, ['body', 'configuration', 'url'], /public/],
    [
      'another method',
      { configuration: { url: 'https://example.com/', method: 'GET' } },
      ['body', 'configuration', 'method'],
      /should be 'POST', 'PUT' or 'PATCH'/,
    ],
    [
      'a wrong policy',
      { configuration: { url: 'https://example.com/', retry_policy: { max_attempts: 101 } } },
      ['body', 'configuration', 'retry_policy', 'max_attempts'],
      /less than or equal to 100/,
    ],
    [
      'an unknown strategy',
      { configuration: { url: 'https://example.com/', retry_policy: { strategy: 'random' } } },
      ['body', 'configuration', 'retry_policy', 'strategy'],
      /fixed/,
    ],
    ['an unknown type', { type: 'slack' }, ['body', 'type'], /'email' or 'webhook'/],
    ['no addressee', { type: 'email', configuration: { to: [] } }, ['body', 'configuration', 'to'], /at least 1/],
    [
      'too many addressees',
      { type: 'email', configuration: { to: Array.from({ length: 21 }, (_, at) => `a${at}@example.com`) } },
      ['body', 'configuration', 'to'],
      /at most 20/,
    ],
    ['no address', { type: 'email', configuration: { to: ['nobody'] } }, ['body', 'configuration', 'to', 0], /email/],
    [
      'a line break in the subject',
      { type: 'email', configuration: { to: ['a@example.com'], subject_prefix: 'a\r\nBcc: b@example.com' } },
      ['body', 'configuration', 'subject_prefix'],
      /control/,
    ],
    [
      'protected headers of mail',
      { type: 'email', configuration: { to: ['a@example.com'] }, protected_headers: [{ name: 'X-A', value: 'v' }] },
      ['body', 'protected_headers'],
      /only for channels of type webhook/,
    ],
  ])('are refused with %s', async (_, channel, loc, msg) => refused(channel, loc, msg));

  const ALWAYS_REFUSED = [
    'Host',
    'content-length',
    'Content-Type',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'Proxy-Authorization',
    'proxy-x',
    'Accept-Encoding',
    'content-encoding',
    'HTTP2-Settings',
    'Via',
    'User-Agent',
    'X-Service-Anything',
    'x-service-signature',
    'webhook-id',
    'Bad Name',
    'X:Y',
    'X-Ü',
    '',
    'x'.repeat(81),
  ];
  it.each(ALWAYS_REFUSED)('refuse a header called %p, public and protected', async (name) => {
    const at = ['body', 'configuration', 'headers', name.slice(0, 80)];
    await refused({ configuration: { url: url(), headers: { [name]: 'v' } } }, at, /./);
    const own = ['body', 'protected_headers', 0, 'name'];
    await refused({ configuration: { url: url() }, protected_headers: [{ name, value: 'v' }] }, own, /./);
  });

  it('send every header that they accept, as it was given', async () => {
    const names = [
      'Accept', 'Accept-Charset', 'Accept-Language', 'Accept-Ranges', 'Age', 'Alt-Svc', 'Cache-Control', 'Close',
      'Content-Disposition', 'Content-Language', 'Content-Location', 'Content-MD5', 'Content-Range', 'Date', 'DNT',
      'Early-Data', 'ETag', 'Expires', 'Forwarded', 'From', 'HTTP2-Settings', 'If-Match', 'If-None-Match', 'Link',
      'Accept-Encoding', 'Content-Encoding', 'Max-Forwards', 'MIME-Version', 'Origin', 'Pragma', 'Prefer', 'Priority',
      'Range', 'Referer', 'Server', 'TE', 'Traceparent', 'Transfer-Encoding', 'Vary', 'Via', 'Warning', 'X-Forwarded-For',
      'X-HTTP-Method-Override', 'X-Request-Id', 'Upgrade-Insecure-Requests', 'Connection', 'Keep-Alive', 'X-Team',
    ]; // prettier-ignore
    const accepted: string[] = [];
    for (const name of names) {
      const answer = await delivery.create({
        type: 'webhook',
        configuration: { url: url(), headers: { [name]: `of ${name}` } },
      });
      if (answer.status === 422) continue;
      const tested = await delivery.send('post', `/channels/${answer.body.id}/test`);
      expect([name, tested.body.ok, receiver.received.at(-1)?.headers[name.toLowerCase()]]).toEqual([
        name,
        true,
        `of ${name}`,
      ]);
      accepted.push(name);
      await delivery.send('delete', `/channels/${answer.body.id}`);
    }
    expect(accepted).toEqual(expect.arrayContaining(['Accept', 'Date', 'Forwarded', 'X-Team']));
  });

  it.each(['Authorization', 'cookie', 'X-API-Key', 'X-Auth-Token', 'X-Custom-Auth'])(
    'take %s as a protected header alone',
    async (name) => {
      const at = ['body', 'configuration', 'headers', name];
      await refused({ configuration: { url: url(), headers: { [name]: SECRET } } }, at, /protected/);
      const channel = await delivery.webhook(url(), { protected_headers: [{ name, value: SECRET }] });
      expect((await delivery.get('/channels')).text).not.toContain(SECRET);
      expect((await delivery.send('delete', `/channels/${channel}`)).status).toBe(204);
    },
  );

  it('refuse values that would break a request, and too long ones', async () => {
    for (const value of ['a\r\nX-Evil: 1', 'a\nb', 'ü', '\u007f', 'x'.repeat(301)]) {
      await refused(
        { configuration: { url: url(), headers: { 'X-A': value } } },
        ['body', 'configuration', 'headers', 'X-A'],
        /./,
      );
    }
    for (const value of ['a\r\nX-Evil: 1', '', 'x'.repeat(2_049)]) {
      const answer = await delivery.create({
        type: 'webhook',
        configuration: { url: url() },
        protected_headers: [{ name: 'X-A', value }],
      });
      expect(answer.status).toBe(422);
      expect(answer.body.detail).toMatchObject([
        { loc: ['body', 'protected_headers', 0, 'value'], input: '[redacted]' },
      ]);
    }
  });

  it('never have a header twice, public and protected together, nor more than twenty', async () => {
    const twice = { url: url(), headers: { 'X-A': '1', 'x-a': '2' } };
    await refused({ configuration: twice }, ['body', 'configuration', 'headers', 'x-a'], /twice/);
    const open = { url: url(), headers: { 'X-Team': 'a' } };
    const clash = { configuration: open, protected_headers: [{ name: 'x-team', value: 'v' }] };
    await refused(clash, ['body', 'protected_headers'], /both public and protected/);
    const duplicate = await delivery.create({
      type: 'webhook',
      configuration: { url: url() },
      protected_headers: [
        { name: 'X-A', value: '1' },
        { name: 'x-A', value: '2' },
      ],
    });
    expect([duplicate.status, duplicate.body.detail]).toEqual([409, 'Protected header already exists']);

    const many = Object.fromEntries(Array.from({ length: 19 }, (_, at) => [`X-${at}`, 'v']));
    const id = await delivery.webhook(url(), {
      configuration: { headers: many },
      protected_headers: [{ name: 'X-P', value: 'v' }],
    });
    const path = `/channels/${id}/protected-headers`;
    expect((await delivery.send('post', path, { name: 'X-Q', value: 'v' })).status).toBe(422);
    expect((await delivery.send('post', path, { name: 'x-3', value: 'v' })).status).toBe(422);
    const more = { url: url(), headers: { ...many, 'X-19': 'v' } };
    expect((await delivery.send('patch', `/channels/${id}`, { configuration: more })).status).toBe(422);
    const clashing = { url: url(), headers: { 'x-p': 'v' } };
    expect((await delivery.send('patch', `/channels/${id}`, { configuration: clashing })).status).toBe(422);
    const upsert = {
      protected_headers: [
        { name: 'X-P', value: 'w' },
        { name: 'X-Q', value: 'v' },
      ],
    };
    expect((await delivery.send('patch', `/channels/${id}`, upsert)).status).toBe(422);
    expect((await delivery.get('/channels')).body[0].protected_headers).toHaveLength(1);
  });

  it('keep protected headers encrypted, masked, rotated by name in any case, and audited without values', async () => {
    const id = await delivery.webhook(url());
    const path = `/channels/${id}/protected-headers`;
    const added = await delivery.send('post', path, { name: 'X-Token', value: SECRET });
    const masked = {
      name: 'X-Token',
      configured: true,
      masked_value: '********',
      key_version: 1,
      last_rotated_at: expect.any(String),
    };
    expect([added.status, added.body]).toEqual([201, masked]);
    expect(await delivery.send('post', path, { name: 'x-TOKEN', value: 'other' })).toMatchObject({ status: 409 });
    const stored = (): Promise<Json[]> =>
      app.rows('SELECT * FROM delivery_protected_headers WHERE channel_id = $1 ORDER BY id', [id]);
    const [before] = await stored();
    expect(before).toMatchObject({ key_version: expect.any(String), last_rotated_by: owner.id });
    expect(before.value).toMatch(new RegExp(`^v${before.key_version}\\.`));

    expect((await delivery.send('post', `/channels/${id}/test`)).body.ok).toBe(true);
    expect(receiver.received.at(-1)?.headers['x-token']).toBe(SECRET);
    const rotated = await delivery.send('patch', `${path}/x-token`, { value: 'a-new-value-9876543210' });
    expect([rotated.status, rotated.body.name, rotated.body.key_version]).toEqual([200, 'X-Token', 2]);
    expect(Date.parse(rotated.body.last_rotated_at)).toBeGreaterThan(Date.parse(added.body.last_rotated_at));
    expect((await stored())[0].value).not.toBe(before.value);
    await delivery.send('post', `/channels/${id}/test`);
    expect(receiver.received.at(-1)?.headers['x-token']).toBe('a-new-value-9876543210');

    const upserted = await delivery.send('patch', `/channels/${id}`, {
      protected_headers: [
        { name: 'X-TOKEN', value: 'third-value-5555' },
        { name: 'X-More', value: 'v' },
      ],
    });
    expect(upserted.body.protected_headers.map(({ name, key_version }: Json) => [name, key_version])).toEqual([
      ['X-Token', 3],
      ['X-More', 1],
    ]);
    expect(await delivery.send('delete', `${path}/x-token`)).toMatchObject({ status: 200, body: { name: 'X-Token' } });
    for (const [method, body] of [
      ['delete', undefined],
      ['patch', { value: 'v' }],
    ] as const) {
      const answer = await delivery.send(method, `${path}/X-Token`, body);
      expect([answer.status, answer.body.detail]).toEqual([404, 'Protected header not found']);
    }
    const audited = await app.rows<{ action: string; detail: object }>(
      `SELECT action, detail FROM audit_events WHERE target_id = $1 AND action LIKE '%protected%' ORDER BY created_at`,
      [id],
    );
    expect(audited.map(({ action }) => action.replace('delivery.protected_header_', ''))).toEqual([
      'added',
      'rotated',
      'rotated',
      'added',
      'removed',
    ]);
    expect(JSON.stringify([audited, app.logLines])).not.toMatch(/protected-value|a-new-value|third-value/);
  });

  it('do not open a value that was moved to another row', async () => {
    const [from, to] = [
      await delivery.webhook(url(), { protected_headers: [{ name: 'X-A', value: SECRET }] }),
      await delivery.webhook(url(), { protected_headers: [{ name: 'X-A', value: 'mine' }] }),
    ];
    await app.rows(
      `UPDATE delivery_protected_headers t SET value = s.value FROM delivery_protected_headers s
       WHERE t.channel_id = $1 AND s.channel_id = $2`,
      [to, from],
    );
    const count = receiver.received.length;
    expect((await delivery.send('post', `/channels/${to}/test`)).body).toMatchObject({
      ok: false,
      status: 'failed',
      failure_reason: 'protected_header_unreadable',
    });
    expect(receiver.received).toHaveLength(count);
  });

  it('queue up changes of one channel: of twenty that add the same header, one does', async () => {
    const id = await delivery.webhook(url());
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        delivery.send('post', `/channels/${id}/protected-headers`, { name: 'X-A', value: 'v' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
  });

  it('are deleted while nothing was sent to them, with their headers, and audited', async () => {
    const id = await delivery.webhook(url(), { protected_headers: [{ name: 'X-A', value: SECRET }] });
    expect((await delivery.send('delete', `/channels/${id}`)).status).toBe(204);
    expect(await app.rows('SELECT 1 FROM delivery_protected_headers WHERE channel_id = $1', [id])).toEqual([]);
    const [audit] = await app.rows<{ detail: object }>(
      `SELECT detail FROM audit_events WHERE target_id = $1 AND action = 'delivery.channel_deleted'`,
      [id],
    );
    expect(audit?.detail).toEqual({ name: 'Receiver', type: 'webhook', protected_headers: ['X-A'] });
    expect((await delivery.send('delete', `/channels/${id}`)).status).toBe(404);

    const used = await delivery.webhook(url());
    await delivery.send('post', `/channels/${used}/test`);
    const blocked = await delivery.send('delete', `/channels/${used}`);
    expect([blocked.status, blocked.body.detail]).toEqual([
      409,
      'Notification channel cannot be deleted while delivery evidence exists. Disable the channel instead.',
    ]);
    const audits = `SELECT 1 FROM audit_events WHERE target_id = $1 AND action = 'delivery.channel_deleted'`;
    expect(await app.rows(audits, [used])).toEqual([]);
  });

  it('answer a test with what came of it, also when they are disabled', async () => {
    const id = await delivery.webhook(`${receiver.url}/teapot`);
    receiver.answer((response) => response.writeHead(418).end('short and stout'), '/teapot');
    const answer = await delivery.send('post', `/channels/${id}/test`);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ok: false,
        channel_id: id,
        delivery_id: expect.any(String),
        status: 'failed',
        response_code: 418,
        response_summary: 'short and stout',
        failure_reason: 'http_418: The receiver answered 418',
        tested_at: expect.any(String),
      },
    ]);
    expect(await delivery.attempt(answer.body.delivery_id)).toMatchObject({ kind: 'test', retry_state: 'terminal' });
    receiver.answer(500, '/teapot');
    const transient = await delivery.send('post', `/channels/${id}/test`);
    expect(await delivery.attempt(transient.body.delivery_id)).toMatchObject({
      retry_state: 'retry_exhausted',
      lifecycle: ['original', 'retry_exhausted', 'replay_blocked'],
    });

    await delivery.send('patch', `/channels/${id}`, { enabled: false });
    const count = receiver.received.length;
    const disabled = await delivery.send('post', `/channels/${id}/test`);
    expect([disabled.status, disabled.body]).toMatchObject([200, { ok: false, failure_reason: 'channel_disabled' }]);
    expect(receiver.received).toHaveLength(count);
  });

  it('belong to one project: neither strangers nor another project of the same owner reach them', async () => {
    const id = await delivery.webhook(url());
    const stranger = await ownerWithProject(app);
    expect((await delivery.as(stranger).get('/channels')).status).toBe(403);
    const own = deliveryOf(app, stranger);
    for (const path of [`/channels/${id}/test`, `/channels/${id}/protected-headers`]) {
      expect(await own.send('post', path, {})).toMatchObject({ status: 404 });
    }
    expect((await own.send('delete', `/channels/${id}`)).status).toBe(404);
    expect((await delivery.get('/channels')).body.some((channel: Json) => channel.id === id)).toBe(true);
  });

  it('are managed by members and admins, not by viewers and operators', async () => {
    const id = await delivery.webhook(url());
    for (const [role, allowed] of [
      ['viewer', false],
      ['member', true],
      ['operator', false],
      ['admin', true],
    ] as const) {
      const client = delivery.as(await addMember(app, owner, role));
      expect((await client.get('/channels')).status).toBe(200);
      const answer = await client.send('patch', `/channels/${id}`, { name: role });
      expect([role, answer.status]).toEqual([role, allowed ? 200 : 403]);
      if (!allowed) expect(answer.body.detail).toBe('Missing delivery capability: delivery:manage_channels');
    }
  });
});

describe('without cryptography', () => {
  it('refuses protected headers, waits with what needs them, and still lets them be removed', async () => {
    const app = await createTestApp({ env: DELIVERY_ENV });
    const receiver = await startReceiver();
    const owner = await ownerWithProject(app);
    const before = deliveryOf(app, owner);
    const id = await before.webhook(receiver.url, { protected_headers: [{ name: 'X-A', value: SECRET }] });
    const off = await createTestApp({
      env: { ...DELIVERY_ENV, CREDENTIAL_ENCRYPTION_KEYS: 'disabled' },
      databaseUrl: app.databaseUrl,
      dataDir: app.dataDir,
    });
    const delivery = deliveryOf(off, owner);
    const detail = 'Protected webhook headers are unavailable';
    const path = `/channels/${id}/protected-headers`;
    const header = { name: 'X-B', value: 'v' };
    const channel = { type: 'webhook', configuration: { url: receiver.url }, protected_headers: [header] };
    for (const answer of [
      await delivery.send('post', path, header),
      await delivery.send('patch', `${path}/X-A`, { value: 'v' }),
      await delivery.send('patch', `/channels/${id}`, { protected_headers: [header] }),
      await delivery.create(channel),
    ]) {
      expect([answer.status, answer.body]).toEqual([503, { detail }]);
    }
    expect((await delivery.get('/channels')).body).toHaveLength(1);
    const test = await delivery.send('post', `/channels/${id}/test`);
    expect([test.status, test.body]).toEqual([503, { detail }]);
    expect((await delivery.get('/history')).body.total).toBe(0);
    expect(receiver.connections()).toBe(0);
    expect(await delivery.send('delete', `${path}/X-A`)).toMatchObject({ status: 200 });
    expect((await delivery.send('post', `/channels/${id}/test`)).body.ok).toBe(true);
    await off.close();
    await app.close();
    await receiver.close();
  });

  it('answers 503 to replay, Retry Now and drain of a channel with protected headers, and changes nothing', async () => {
    const app = await createTestApp({ env: DELIVERY_ENV });
    const receiver = await startReceiver(500);
    const owner = await ownerWithProject(app);
    const before = deliveryOf(app, owner);
    const made = async (policy: object, protected_headers: object[], state: string): Promise<string> => {
      const channel = await before.webhook(receiver.url, {
        configuration: { retry_policy: policy },
        protected_headers,
      });
      const id = await ruleMatch(app, owner.projectId, channel);
      await before.until(id, ({ retry_state }) => retry_state === state);
      return id;
    };
    const headers = [{ name: 'X-A', value: SECRET }];
    const scheduled = await made({ base_delay_seconds: 3_600, max_delay_seconds: 3_600 }, headers, 'scheduled_retry');
    const dead = await made({ max_attempts: 0 }, headers, 'dlq');
    const open = await made({ max_attempts: 0 }, [], 'dlq');
    const off = await createTestApp({
      env: { ...DELIVERY_ENV, CREDENTIAL_ENCRYPTION_KEYS: 'disabled' },
      databaseUrl: app.databaseUrl,
      dataDir: app.dataDir,
    });
    const delivery = deliveryOf(off, owner);
    const sends = receiver.received.length;
    const rows = () => app.rows('SELECT to_jsonb(a) AS attempt FROM delivery_attempts a ORDER BY id');
    const unchanged = await rows();
    for (const [id, act] of [
      [scheduled, 'replay'],
      [scheduled, 'retry-now'],
      [dead, 'replay'],
      [dead, 'dlq-drain'],
    ] as const) {
      const answer = await delivery.send('post', `/history/${id}/${act}`);
      expect([act, answer.status, answer.body]).toEqual([
        act,
        503,
        { detail: 'Protected webhook headers are unavailable' },
      ]);
    }
    expect(await rows()).toEqual(unchanged);
    expect(receiver.received).toHaveLength(sends);
    receiver.answer(200);
    expect((await delivery.send('post', `/history/${open}/dlq-drain`)).status).toBe(200);
    await off.close();
    await app.close();
    await receiver.close();
  });

  it('keeps what needs them, tried and counted not once, until they can be read', async () => {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'oes-vault-'));
    const start = (env: Record<string, string> = {}): Promise<TestApp> =>
      createTestApp({ env: { ...DELIVERY_ENV, ...env }, databaseUrl: database.url, dataDir });
    const receiver = await startReceiver();
    const first = await start();
    const owner = await ownerWithProject(first);
    const channel = await deliveryOf(first, owner).webhook(receiver.url, {
      protected_headers: [{ name: 'X-A', value: SECRET }],
    });
    await first.close();
    const off = await start({ CREDENTIAL_ENCRYPTION_KEYS: 'disabled' });
    const delivery = deliveryOf(off, owner);
    const id = await ruleMatch(off, owner.projectId, channel);
    expect(await delivery.until(id, ({ failure_reason }) => failure_reason !== null)).toMatchObject({
      status: 'pending',
      retry_state: 'pending',
      failure_reason: 'cryptography_unavailable',
      try_number: 0,
      retry_count: 0,
      completed_at: null,
    });
    expect(await off.metrics()).toMatch(/^delivery_backlog 0$/m);
    await off.close();
    expect(receiver.connections()).toBe(0);
    const again = await start();
    await makeDue(again, id);
    await runRetries(again);
    expect(await deliveryOf(again, owner).attempt(id)).toMatchObject({
      status: 'sent',
      try_number: 1,
      failure_reason: null,
    });
    expect(receiver.received[0]?.headers['x-a']).toBe(SECRET);
    await again.close();
    await receiver.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
});
