import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { asProjectId } from '../../../src/modules/access/index.js';
import { addMember, type Actor, type Owner, ownerWithProject } from '../../support/actors.js';
import { AlertClient, alertsOf, expectedSignature } from '../../support/alerts.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, type Json } from '../../support/delivery.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';

const SECRET = 'a-secret-as-it-was-typed-ü';
const SLACK = 'https://hooks.slack.com/services/T000/B000/slackpathsecret';

describe('alert destinations', () => {
  let app: TestApp;
  let owner: Owner;
  let alerts: AlertClient;
  let receiver: Receiver;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    alerts = alertsOf(app, owner);
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  afterAll(() => app.close());

  const audits = async (): Promise<Json[]> =>
    app.rows(
      `SELECT action, detail FROM audit_events WHERE project_id = $1 AND target_type = 'alert_destination' ORDER BY created_at`,
      [owner.projectId],
    );

  it('are a hundred of a project at most, however many are made at once; those there are stay', async () => {
    await app.rows(
      `INSERT INTO alert_destinations (id, project_id, type, name, target_url, is_enabled)
       SELECT gen_random_uuid(), $1, 'webhook', 'D', 'https://example.com/', true FROM generate_series(1, 98)`,
      [owner.projectId],
    );
    const answers = await Promise.all(Array.from({ length: 5 }, () => alerts.create({ target_url: receiver.url })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      detail: 'Project has too many alert destinations',
    });
    const [one] = await alerts.destinations();
    const path = `/v1/alert-destinations/${one.id}`;
    expect((await alerts.send('patch', path, { name: 'Still mine' })).status).toBe(200);
    expect((await alerts.send('delete', path)).status).toBe(204);
    await alerts.destination(receiver.url);
  });

  it('are made, listed, changed, switched and deleted, and each act is audited', async () => {
    const created = await alerts.create({ target_url: `${receiver.url}/a?token=t`, secret: SECRET });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.any(String),
        project_id: owner.projectId,
        type: 'webhook',
        name: 'Receiver',
        target_url: `${receiver.url}/a?token=t`,
        has_secret: true,
        is_enabled: true,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ]);
    const { id } = created.body as { id: string };
    const second = await alerts.destination(receiver.url, { is_enabled: false, name: 'Second' });
    expect((await alerts.destinations()).map((one) => one.id)).toEqual([second, id]);

    const path = `/v1/alert-destinations/${id}`;
    const changed = await alerts.send('patch', path, {
      name: 'On call',
      target_url: `${receiver.url}/b`,
      type: 'webhook',
    });
    expect(changed.body).toMatchObject({ name: 'On call', target_url: `${receiver.url}/b`, has_secret: true });
    expect((await alerts.send('patch', path, { secret: null })).body).toMatchObject({ has_secret: false });
    for (const [act, isEnabled] of [
      ['disable', false],
      ['disable', false],
      ['enable', true],
      ['enable', true],
    ] as const) {
      const answer = await alerts.send('post', `${path}/${act}`);
      expect([answer.status, answer.body.is_enabled]).toEqual([200, isEnabled]);
    }
    expect((await alerts.send('delete', path)).status).toBe(204);
    for (const answer of [await alerts.send('delete', path), await alerts.send('post', `${path}/test`)]) {
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Alert destination not found' }]);
    }
    expect((await audits()).map(({ action, detail }) => [action, detail])).toEqual([
      ['alert_destination.created', { name: 'Receiver', type: 'webhook', is_enabled: true, has_secret: true }],
      ['alert_destination.created', { name: 'Second', type: 'webhook', is_enabled: false, has_secret: false }],
      ['alert_destination.updated', { name: { from: 'Receiver', to: 'On call' }, target_url: 'replaced' }],
      ['alert_destination.updated', { secret: 'removed' }],
      ['alert_destination.disabled', { name: 'On call' }],
      ['alert_destination.enabled', { name: 'On call' }],
      ['alert_destination.deleted', { name: 'On call', type: 'webhook', unsent_deliveries: 0 }],
    ]);
  });

  it('take the project from the body, the query or what the caller has selected, else refuse', async () => {
    const other = await ownerWithProject(app);
    const send = (method: 'get' | 'post', path: string, body: object | undefined, actor: Actor) =>
      new AlertClient(app, actor, asProjectId('')).send(method, path, body);
    const body = { type: 'webhook', name: 'Receiver', target_url: receiver.url };
    const path = '/v1/alert-destinations';
    const inQuery = `${path}?project_id=${owner.projectId}`;

    const missing = { type: 'missing', loc: ['body', 'project_id'], msg: 'Field required', input: expect.anything() };
    const refused = await send('post', path, { ...body, name: '' }, owner);
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      [missing, expect.objectContaining({ loc: ['body', 'name'] })],
    ]);
    expect(JSON.stringify(refused.body)).not.toContain(receiver.url);
    const unlisted = await send('get', path, undefined, owner);
    expect([unlisted.status, unlisted.body.detail]).toEqual([
      422,
      [{ type: 'missing', loc: ['query', 'project_id'], msg: 'Field required', input: null }],
    ]);
    expect((await send('post', path, { ...body, project_id: null }, owner)).status).toBe(422);
    expect((await send('post', inQuery, { ...body, project_id: null }, owner)).body.project_id).toBe(owner.projectId);
    expect((await send('post', path, { ...body, project_id: 'nonsense' }, owner)).status).toBe(422);
    expect((await send('post', inQuery, body, owner)).body.project_id).toBe(owner.projectId);
    expect(
      (await send('post', `${path}?project_id=${other.projectId}`, { ...body, project_id: owner.projectId }, owner))
        .status,
    ).toBe(201);

    const foreign = await send('post', `${path}?project_id=${other.projectId}`, body, owner);
    expect([foreign.status, foreign.body]).toEqual([403, { detail: 'Not a project member' }]);
    await alerts.send('post', '/v1/projects/select', { project_id: owner.projectId });
    expect((await send('post', path, body, owner)).body.project_id).toBe(owner.projectId);
    expect((await send('get', path, undefined, owner)).body).toHaveLength(4);
    expect((await send('post', path, body, await addMember(app, owner, 'member'))).status).toBe(422);
  });

  it('belong to operators; members and viewers see them', async () => {
    const id = await alerts.destination(receiver.url);
    const path = `/v1/alert-destinations/${id}`;
    const member = alerts.as(await addMember(app, owner, 'member'));
    expect(await member.destinations()).toHaveLength(1);
    for (const answer of [
      await member.create({ target_url: receiver.url }),
      await member.send('patch', path, { name: 'Mine' }),
      await member.send('post', `${path}/disable`),
      await member.send('post', `${path}/test`),
      await member.send('delete', path),
    ]) {
      expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient project role' }]);
    }
    const operator = alerts.as(await addMember(app, owner, 'operator'));
    expect((await operator.send('patch', path, { name: 'Ours' })).status).toBe(200);
    const stranger = alertsOf(app, await ownerWithProject(app));
    expect((await stranger.send('patch', path, { name: 'Theirs' })).body).toEqual({
      detail: 'Alert destination not found',
    });
    expect(receiver.received).toEqual([]);
  });

  it('show the whole address to operators alone; members and viewers read its origin and nothing else of it', async () => {
    const url = `${receiver.url}/services/T0/B0?token=credential-in-the-query`;
    const id = await alerts.destination(url);
    for (const role of ['viewer', 'member']) {
      const reader = alerts.as(await addMember(app, owner, role));
      const answers = [
        await reader.send('get', `/v1/alert-destinations?project_id=${owner.projectId}`),
        await reader.send('get', `/v1/alerts/deliveries?project_id=${owner.projectId}`),
        await reader.send('get', `/v1/search?project_id=${owner.projectId}&q=Receiver`),
        await reader.send('get', `/v1/projects/${owner.projectId}/activity`),
      ];
      expect(answers[0]?.body).toMatchObject([{ id, target_url: `${receiver.url}/***` }]);
      expect(answers.map(({ text }) => text).join()).not.toMatch(/credential-in-the-query|services\/T0/);
    }
    for (const role of ['operator', 'admin']) {
      const reader = alerts.as(await addMember(app, owner, role));
      expect(await reader.destinations()).toMatchObject([{ id, target_url: url }]);
    }
  });

  it.each([
    ['ftp://example.com/', "URL scheme should be 'http' or 'https'"],
    ['http://169.254.169.254/latest/meta-data', 'Value error, URL must lead to a public address'],
    ['http://[::1]/', 'Value error, URL must lead to a public address'],
    ['http://10.0.0.1/', 'Value error, URL must lead to a public address'],
    ['http://0x7f000001.internal/', 'Value error, URL must lead to a public address'],
    ['http://metadata.google.internal/', 'Value error, URL must lead to a public address'],
    ['http://user:pass-word@example.com/', 'Value error, URL must not contain a user name or password'],
    ['http://example.com:0/', 'Value error, URL port must not be 0'],
    ['nonsense', 'Input should be a valid URL, relative URL without a base'],
  ])('refuse %s when it is configured, and do not repeat it', async (url, msg) => {
    const id = await alerts.destination(receiver.url);
    for (const type of ['webhook', 'slack']) {
      const answer = await alerts.create({ type, target_url: url });
      expect([answer.status, answer.body.detail[0].loc, answer.body.detail[0].msg]).toEqual([
        422,
        ['body', 'target_url'],
        msg,
      ]);
      expect(answer.body.detail[0].input).toBe('[redacted]');
      expect(answer.text).not.toContain('pass-word');
    }
    expect((await alerts.send('patch', `/v1/alert-destinations/${id}`, { target_url: url })).status).toBe(422);
    expect((await alerts.destinations()).map((one) => one.target_url)).toEqual([`${receiver.url}/`]);
  });

  it('refuse what no destination is, by rows that name the field', async () => {
    const locOf = async (body: object): Promise<unknown> =>
      (await alerts.create({ target_url: receiver.url, ...body })).body.detail[0].loc;
    expect(await locOf({ type: 'email' })).toEqual(['body', 'type']);
    expect(await locOf({ name: '' })).toEqual(['body', 'name']);
    expect(await locOf({ name: 'x'.repeat(201) })).toEqual(['body', 'name']);
    expect(await locOf({ secret: '' })).toEqual(['body', 'secret']);
    expect(await locOf({ secret: 'x'.repeat(501) })).toEqual(['body', 'secret']);
    expect(await locOf({ is_enabled: 'maybe' })).toEqual(['body', 'is_enabled']);
    expect(await locOf({ target_url: undefined })).toEqual(['body', 'target_url']);
    const id = await alerts.destination(receiver.url);
    const typed = await alerts.send('patch', `/v1/alert-destinations/${id}`, { type: 'slack' });
    expect([typed.status, typed.body.detail[0].msg]).toEqual([
      422,
      'Value error, the type of a destination cannot be changed',
    ]);
    expect((await alerts.send('patch', '/v1/alert-destinations/nonsense', {})).status).toBe(422);
  });

  it('show a Slack address masked, keep it when the mask comes back, and take another', async () => {
    const id = await alerts.destination(SLACK, { type: 'slack' });
    const path = `/v1/alert-destinations/${id}`;
    const sealed = async (): Promise<string | undefined> =>
      (await app.rows<{ sealed_url: string }>('SELECT sealed_url FROM alert_destinations WHERE id = $1', [id]))[0]
        ?.sealed_url;
    const before = await sealed();
    const echoed = await alerts.send('patch', path, { target_url: 'https://hooks.slack.com/***', name: 'Chat' });
    expect(echoed.body).toMatchObject({ type: 'slack', target_url: 'https://hooks.slack.com/***', name: 'Chat' });
    expect(await sealed()).toBe(before);
    await alerts.send('patch', path, { target_url: `${receiver.url}/slack/hidden-path` });
    expect((await alerts.destinations())[0]).toMatchObject({ target_url: `${receiver.url}/***` });
    await alerts.send('post', `${path}/test`);
    const [request] = receiver.received;
    expect(request).toMatchObject({ method: 'POST', path: '/slack/hidden-path' });
    expect(JSON.parse(request!.body)).toMatchObject({
      text: expect.stringMatching(/^\[INFO\] /),
      blocks: expect.any(Array),
    });
  });

  it('are tested with a signed request whose answer comes back bounded and without secrets', async () => {
    const id = await alerts.destination(`${receiver.url}/hook`, { secret: SECRET, is_enabled: false });
    receiver.answer((response) => response.writeHead(202).end(`thanks ${SECRET} ${'x '.repeat(900)}`));
    const answer = await alerts.send('post', `/v1/alert-destinations/${id}/test`);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { ok: true, destination: { id, has_secret: true }, response_code: 202, duration_ms: expect.any(Number) },
    ]);
    expect(answer.body.response_summary).toMatch(/^thanks /);
    expect(answer.body.response_summary.length).toBeLessThanOrEqual(500);
    expect(answer.text).not.toContain(SECRET);
    const [request] = receiver.received;
    expect(request!.headers).toMatchObject({
      'user-agent': 'Service-Alerts/1.0',
      'x-service-delivery-id': answer.body.delivery_id,
      'x-service-signature': expectedSignature(SECRET, request!),
    });
    new Webhook(Buffer.from(SECRET), { format: 'raw' }).verify(
      request!.body,
      request!.headers as Record<string, string>,
    );
    expect(JSON.parse(request!.body)).toMatchObject({
      project_id: owner.projectId,
      alert_event_id: null,
      payload: { test: true },
    });
    expect((await alerts.deliveries()).total).toBe(0);
  });

  it('answer 502 with the reason when a test is not taken', async () => {
    const id = await alerts.destination(`${receiver.url}/hook`);
    const test = async (): Promise<unknown> => {
      const { status, body } = await alerts.send('post', `/v1/alert-destinations/${id}/test`);
      return [status, body];
    };
    for (const [status, reason] of [
      [500, 'http_500: The receiver answered 500'],
      [404, 'http_404: The receiver answered 404'],
      [302, 'http_302: Redirects are not followed'],
    ] as const) {
      receiver.answer((response) => response.writeHead(status, { Location: 'http://169.254.169.254/' }).end('no'));
      expect(await test()).toEqual([502, { detail: reason }]);
    }
    receiver.answer((_, __, socket) => socket.destroy());
    expect(await test()).toEqual([502, { detail: 'connection_reset: Connection was closed before an answer' }]);
    // Written past the check, as an address whose name has moved since.
    await app.rows(`UPDATE alert_destinations SET target_url = 'http://169.254.169.254/' WHERE id = $1`, [id]);
    expect(await test()).toEqual([502, { detail: 'unsafe_destination: Destination is not allowed' }]);
    expect(receiver.received).toHaveLength(4);
  });

  it('keep secrets and Slack addresses out of tables, answers and logs', async () => {
    const id = await alerts.destination(SLACK, { type: 'slack', secret: SECRET });
    const next = 'the-next-secret-0123456789';
    const texts = [
      (await alerts.send('patch', `/v1/alert-destinations/${id}`, { secret: next })).text,
      JSON.stringify(await alerts.destinations()),
      JSON.stringify(await app.rows('SELECT * FROM alert_destinations')),
      JSON.stringify(await app.rows('SELECT * FROM audit_events')),
      app.logLines.join('\n'),
    ];
    for (const text of texts) {
      for (const secret of [SECRET, next, 'slackpathsecret']) expect(text).not.toContain(secret);
    }
  });

  it('change one after the other, so that none undoes what another one did', async () => {
    const id = await alerts.destination(receiver.url);
    const path = `/v1/alert-destinations/${id}`;
    await Promise.all([
      alerts.send('patch', path, { name: 'One' }),
      alerts.send('patch', path, { secret: SECRET }),
      alerts.send('post', `${path}/disable`),
      alerts.send('patch', path, { target_url: `${receiver.url}/new` }),
    ]);
    const [destination] = await alerts.destinations();
    expect(destination).toMatchObject({
      name: 'One',
      has_secret: true,
      is_enabled: false,
      target_url: `${receiver.url}/new`,
    });
  });
});

describe('alert destinations without credential encryption', () => {
  it('can be made as long as there is nothing to encrypt', async () => {
    const app = await createTestApp({ env: { ...DELIVERY_ENV, CREDENTIAL_ENCRYPTION_KEYS: 'disabled' } });
    try {
      const alerts = alertsOf(app, await ownerWithProject(app));
      const refusal = { detail: 'Protected alert destination credentials are unavailable' };
      for (const body of [
        { target_url: 'https://example.com/', secret: SECRET },
        { target_url: SLACK, type: 'slack' },
      ]) {
        const answer = await alerts.create(body);
        expect([answer.status, answer.body]).toEqual([503, refusal]);
      }
      expect((await alerts.create({ target_url: 'http://127.0.0.1:1/' })).status).toBe(201);
    } finally {
      await app.close();
    }
  });
});
