import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { activityOf } from '../../support/activity.js';
import { type DeliveryClient, deliveryOf, type Json } from '../../support/delivery-api.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { copyProtectedHeaders, fillChannels, protectedHeaders } from '../../support/sql-builders/delivery.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const SECRET = 'protected-value-0123456789';

let acme: Tenant;
let delivery: DeliveryClient;
let receiver: Receiver;
const url = (): string => `${receiver.url}/hook`;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

async function newTenant(): Promise<void> {
  acme = await tenant();
  delivery = deliveryOf(acme);
}

async function refused(channel: object, loc: (string | number)[], msg: RegExp): Promise<void> {
  const before = await delivery.channels();
  const { status, body } = await delivery.create({ type: 'webhook', ...channel });
  expect([status, body.detail]).toEqual([
    422,
    expect.arrayContaining([expect.objectContaining({ loc, msg: expect.stringMatching(msg) })]),
  ]);
  expect(await delivery.channels()).toEqual(before);
}

describe('a delivery channel', () => {
  beforeEach(newTenant);

  it('is one of at most 100 of its project, however many are created at once, and can be changed and deleted', async () => {
    await fillChannels(acme.projectId, 98);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => delivery.create({ type: 'webhook', configuration: { url: url() } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: 'Project has too many channels' });
    const [one] = await delivery.channels();
    expect((await delivery.send('patch', `/channels/${one.id}`, { name: 'Still mine' })).status).toBe(200);
    expect((await delivery.send('delete', `/channels/${one.id}`)).status).toBe(204);
    await delivery.webhook(url());
  });

  it('is created with its defaults, listed newest first, and changed', async () => {
    const first = await delivery.create({ name: 'Hook', type: 'webhook', configuration: { url: url() } });
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: expect.any(String),
        project_id: acme.projectId,
        name: 'Hook',
        type: 'webhook',
        enabled: true,
        configuration: { url: url(), method: 'POST', headers: {} },
        protected_headers: [],
        has_signing_secret: true,
        signing_secret: expect.any(String),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const mail = { to: ['on-call@example.com', 'Ops@Example.com'], subject_prefix: '[prod]' };
    const second = await delivery.create({ name: 'Mail', type: 'email', enabled: false, configuration: mail });
    expect(second.body).toMatchObject({ type: 'email', enabled: false, configuration: mail });
    expect((await delivery.channels()).map(({ id }) => id as string)).toEqual([second.body.id, first.body.id]);

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
    expect(await delivery.send('patch', `/channels/${NOWHERE}`, { name: '' })).toMatchObject({
      status: 404,
      body: { detail: 'Notification channel not found' },
    });
  });

  it('sends every header that it accepts as it was given', async () => {
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

  it('has a header once, public or protected, and at most twenty headers', async () => {
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
    expect((await delivery.channels())[0].protected_headers).toHaveLength(1);
  });

  it('keeps protected headers encrypted and masked, rotates them by name in any case, and audits and logs no value', async () => {
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
    const stored = () => protectedHeaders(acme.projectId);
    const [before] = await stored();
    expect(before).toMatchObject({
      channel_id: id,
      key_version: expect.any(String),
      last_rotated_by: acme.owner.id,
    });
    expect(before?.value).toMatch(new RegExp(`^v${before?.key_version}\\.`));

    expect((await delivery.send('post', `/channels/${id}/test`)).body.ok).toBe(true);
    expect(receiver.received.at(-1)?.headers['x-token']).toBe(SECRET);
    const rotated = await delivery.send('patch', `${path}/x-token`, { value: 'a-new-value-9876543210' });
    expect([rotated.status, rotated.body.name, rotated.body.key_version]).toEqual([200, 'X-Token', 2]);
    expect(Date.parse(rotated.body.last_rotated_at)).toBeGreaterThan(Date.parse(added.body.last_rotated_at));
    expect((await stored())[0]?.value).not.toBe(before?.value);
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
    const audited = (await activityOf(acme)).filter(
      ({ target_id, action }) => target_id === id && action.includes('protected'),
    );
    expect(audited.map(({ action }) => action.replace('delivery.protected_header_', ''))).toEqual([
      'added',
      'rotated',
      'rotated',
      'added',
      'removed',
    ]);
    const logged = await logText();
    expect(JSON.stringify([audited, logged])).not.toMatch(/protected-value|a-new-value|third-value/);
  });

  it('does not open a protected value that was copied from another channel', async () => {
    const [from, to] = [
      await delivery.webhook(url(), { protected_headers: [{ name: 'X-A', value: SECRET }] }),
      await delivery.webhook(url(), { protected_headers: [{ name: 'X-A', value: 'mine' }] }),
    ];
    await copyProtectedHeaders(from, to);
    const count = receiver.received.length;
    expect(await delivery.test(to)).toMatchObject({
      ok: false,
      status: 'failed',
      failure_reason: 'protected_header_unreadable',
    });
    expect(receiver.received).toHaveLength(count);
  });

  it('gets a header once when twenty requests add it at the same time', async () => {
    const id = await delivery.webhook(url());
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        delivery.send('post', `/channels/${id}/protected-headers`, { name: 'X-A', value: 'v' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
  });

  it('is deleted with its headers while nothing was sent to it, and the audit names these headers', async () => {
    const id = await delivery.webhook(url(), { protected_headers: [{ name: 'X-A', value: SECRET }] });
    expect((await delivery.send('delete', `/channels/${id}`)).status).toBe(204);
    expect(await protectedHeaders(acme.projectId)).toEqual([]);
    const deletions = async (channel: string) =>
      (await activityOf(acme)).filter(
        ({ target_id, action }) => target_id === channel && action === 'delivery.channel_deleted',
      );
    const [audit] = await deletions(id);
    expect(audit?.detail).toEqual({ name: 'Receiver', type: 'webhook', protected_headers: ['X-A'] });
    expect((await delivery.send('delete', `/channels/${id}`)).status).toBe(404);

    const used = await delivery.webhook(url());
    await delivery.send('post', `/channels/${used}/test`);
    const blocked = await delivery.send('delete', `/channels/${used}`);
    expect([blocked.status, blocked.body.detail]).toEqual([
      409,
      'Notification channel cannot be deleted while delivery evidence exists. Disable the channel instead.',
    ]);
    expect(await deletions(used)).toEqual([]);
  });

  it('answers a test with its result, also when it is disabled', async () => {
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

  it('is not found in another project, and is hidden from members of other projects', async () => {
    const id = await delivery.webhook(url());
    const globex = await tenant();
    expect((await delivery.as(globex.owner).get('/channels')).status).toBe(403);
    const theirs = deliveryOf(globex);
    for (const path of [`/channels/${id}/test`, `/channels/${id}/protected-headers`]) {
      expect(await theirs.send('post', path, {})).toMatchObject({ status: 404 });
    }
    expect((await theirs.send('delete', `/channels/${id}`)).status).toBe(404);
    expect((await delivery.channels()).some((channel) => channel.id === id)).toBe(true);
  });

  it('is changed by members and admins, and only read by viewers and operators', async () => {
    const id = await delivery.webhook(url());
    for (const [role, allowed] of [
      ['viewer', false],
      ['member', true],
      ['operator', false],
      ['admin', true],
    ] as const) {
      const client = delivery.as(await acme[role]());
      expect((await client.get('/channels')).status).toBe(200);
      const answer = await client.send('patch', `/channels/${id}`, { name: role });
      expect([role, answer.status]).toEqual([role, allowed ? 200 : 403]);
      if (!allowed) expect(answer.body.detail).toBe('Missing delivery capability: delivery:manage_channels');
    }
  });
});

describe('a delivery channel with valid or invalid fields', () => {
  beforeAll(newTenant);

  it.each([
    ['no configuration', {}, ['body', 'configuration', 'url'], /Field required/],
    [
      'a URL of the scheme ftp',
      { configuration: { url: 'ftp://example.com/' } },
      ['body', 'configuration', 'url'],
      /scheme/,
    ],
    [
      'credentials in the query of its URL',
      { configuration: { url: 'https://example.com/?api_key=k' } },
      ['body', 'configuration', 'url'],
      /credentials/,
    ],
    [
      'a user name in its URL',
      { configuration: { url: 'https://a:b@example.com/' } },
      ['body', 'configuration', 'url'],
      /user name/,
    ],
    [
      'the private address 10.0.0.1',
      { configuration: { url: 'http://10.0.0.1/' } },
      ['body', 'configuration', 'url'],
      /public/,
    ],
    [
      'the method GET',
      { configuration: { url: 'https://example.com/', method: 'GET' } },
      ['body', 'configuration', 'method'],
      /should be 'POST', 'PUT' or 'PATCH'/,
    ],
    [
      'a retry policy of 101 attempts',
      { configuration: { url: 'https://example.com/', retry_policy: { max_attempts: 101 } } },
      ['body', 'configuration', 'retry_policy', 'max_attempts'],
      /less than or equal to 100/,
    ],
    [
      'the unknown retry strategy random',
      { configuration: { url: 'https://example.com/', retry_policy: { strategy: 'random' } } },
      ['body', 'configuration', 'retry_policy', 'strategy'],
      /fixed/,
    ],
    ['the unknown type slack', { type: 'slack' }, ['body', 'type'], /'email' or 'webhook'/],
    ['no recipient', { type: 'email', configuration: { to: [] } }, ['body', 'configuration', 'to'], /at least 1/],
    [
      '21 recipients',
      { type: 'email', configuration: { to: Array.from({ length: 21 }, (_, at) => `a${at}@example.com`) } },
      ['body', 'configuration', 'to'],
      /at most 20/,
    ],
    [
      'a recipient that is no address',
      { type: 'email', configuration: { to: ['nobody'] } },
      ['body', 'configuration', 'to', 0],
      /email/,
    ],
    [
      'a line break in the prefix of its subject',
      { type: 'email', configuration: { to: ['a@example.com'], subject_prefix: 'a\r\nBcc: b@example.com' } },
      ['body', 'configuration', 'subject_prefix'],
      /control/,
    ],
    [
      'protected headers of the type email',
      { type: 'email', configuration: { to: ['a@example.com'] }, protected_headers: [{ name: 'X-A', value: 'v' }] },
      ['body', 'protected_headers'],
      /only for channels of type webhook/,
    ],
  ])('is refused with %s', async (_, channel, loc, msg) => refused(channel, loc, msg));

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
  it.each(ALWAYS_REFUSED)('is refused with the header %p, public or protected', async (name) => {
    const at = ['body', 'configuration', 'headers', name.slice(0, 80)];
    await refused({ configuration: { url: url(), headers: { [name]: 'v' } } }, at, /./);
    const own = ['body', 'protected_headers', 0, 'name'];
    await refused({ configuration: { url: url() }, protected_headers: [{ name, value: 'v' }] }, own, /./);
  });

  it.each(['Authorization', 'cookie', 'X-API-Key', 'X-Auth-Token', 'X-Custom-Auth'])(
    'takes the header %s only as a protected header',
    async (name) => {
      const at = ['body', 'configuration', 'headers', name];
      await refused({ configuration: { url: url(), headers: { [name]: SECRET } } }, at, /protected/);
      const channel = await delivery.webhook(url(), { protected_headers: [{ name, value: SECRET }] });
      expect((await delivery.get('/channels')).text).not.toContain(SECRET);
      expect((await delivery.send('delete', `/channels/${channel}`)).status).toBe(204);
    },
  );

  it('is refused with a header value that would break a request or is too long', async () => {
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
});
