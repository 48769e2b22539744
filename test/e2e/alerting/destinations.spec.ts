import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type Account, api, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import {
  alertDestinations,
  redirectDestination,
  sealedAddress,
  storedDestinationsAndAuditEntries,
} from '../../support/sql-builders/alerting.js';
import { expectedSignature } from '../../support/webhook-signature.js';

const SECRET = 'a-secret-as-it-was-typed-ü';
const SLACK = 'https://hooks.slack.com/services/T000/B000/slackpathsecret';
const PATH = '/v1/alert-destinations';

interface Destination {
  id: string;
  project_id: string;
  name: string;
  target_url: string;
  has_secret: boolean;
  is_enabled: boolean;
}

interface Refusal {
  detail: { loc: string[]; msg: string; input: unknown }[];
}

interface AuditEntry {
  action: string;
  target_type: string;
  detail: object;
}

describe('an alert destination', () => {
  let acme: Tenant;
  let receiver: Receiver;

  beforeEach(async () => {
    acme = await tenant();
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const create = (more: object, account: Account = acme.owner) =>
    api.as(account).post(PATH, { project_id: acme.projectId, type: 'webhook', name: 'Receiver', ...more });
  /** @returns the id */
  const created = async (targetUrl: string, more: object = {}): Promise<string> =>
    ((await create({ target_url: targetUrl, ...more }).expect(201)).body as Destination).id;
  const read = (account: Account = acme.owner) => api.as(account).get(PATH, { project_id: acme.projectId });
  const list = async (account?: Account) => (await read(account).expect(200)).body as Destination[];
  const change = (id: string, body: object, account: Account = acme.owner) =>
    api.as(account).patch(`${PATH}/${id}`, body);
  const act = (id: string, action: 'enable' | 'disable' | 'test', account: Account = acme.owner) =>
    api.as(account).post(`${PATH}/${id}/${action}`);
  const remove = (id: string, account: Account = acme.owner) => api.as(account).delete(`${PATH}/${id}`);
  /** The entries about destinations in the audit log of the project, the oldest first. */
  const audits = async (): Promise<AuditEntry[]> => {
    const { body } = await api.as(acme.owner).get(`/v1/projects/${acme.projectId}/activity`).expect(200);
    const { items } = body as { items: AuditEntry[] };
    return items.filter(({ target_type }) => target_type === 'alert_destination').reverse();
  };

  it('returns 409 when its project has 100 others, also in a race, and leaves those usable', async () => {
    await alertDestinations(acme.projectId, 98);
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({ target_url: receiver.url })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      detail: 'Project has too many alert destinations',
    });
    const [one] = await list();
    await change(one!.id, { name: 'Still mine' }).expect(200);
    await remove(one!.id).expect(204);
    await created(receiver.url);
  });

  it('is created, listed, changed, disabled, enabled and deleted, and the audit log has each change', async () => {
    const answer = await create({ target_url: `${receiver.url}/a?token=t`, secret: SECRET }).expect(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      project_id: acme.projectId,
      type: 'webhook',
      name: 'Receiver',
      target_url: `${receiver.url}/a?token=t`,
      has_secret: true,
      is_enabled: true,
      template: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const { id } = answer.body as Destination;
    const second = await created(receiver.url, { is_enabled: false, name: 'Second' });
    expect((await list()).map((one) => one.id)).toEqual([second, id]);

    const changed = await change(id, { name: 'On call', target_url: `${receiver.url}/b`, type: 'webhook' });
    expect(changed.body).toMatchObject({ name: 'On call', target_url: `${receiver.url}/b`, has_secret: true });
    expect((await change(id, { secret: null })).body).toMatchObject({ has_secret: false });
    for (const [action, isEnabled] of [
      ['disable', false],
      ['disable', false],
      ['enable', true],
      ['enable', true],
    ] as const) {
      expect((await act(id, action).expect(200)).body).toMatchObject({ is_enabled: isEnabled });
    }
    await remove(id).expect(204);
    await remove(id).expect(404, { detail: 'Alert destination not found' });
    await act(id, 'test').expect(404, { detail: 'Alert destination not found' });
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

  it('takes its project from the body, the query or the selection of the caller, else returns 422', async () => {
    const globex = await tenant();
    const post = (path: string, body: object, account: Account = acme.owner) => api.as(account).post(path, body);
    const projectOf = async (path: string, body: object): Promise<string> =>
      ((await post(path, body).expect(201)).body as Destination).project_id;
    const body = { type: 'webhook', name: 'Receiver', target_url: receiver.url };
    const inQuery = `${PATH}?project_id=${acme.projectId}`;

    const missing = { type: 'missing', loc: ['body', 'project_id'], msg: 'Field required', input: expect.anything() };
    const refused = await post(PATH, { ...body, name: '' }).expect(422);
    expect((refused.body as Refusal).detail).toEqual([missing, expect.objectContaining({ loc: ['body', 'name'] })]);
    expect(JSON.stringify(refused.body)).not.toContain(receiver.url);
    await api
      .as(acme.owner)
      .get(PATH)
      .expect(422, {
        detail: [{ type: 'missing', loc: ['query', 'project_id'], msg: 'Field required', input: null }],
      });
    await post(PATH, { ...body, project_id: null }).expect(422);
    expect(await projectOf(inQuery, { ...body, project_id: null })).toBe(acme.projectId);
    await post(PATH, { ...body, project_id: 'nonsense' }).expect(422);
    expect(await projectOf(inQuery, body)).toBe(acme.projectId);
    await post(`${PATH}?project_id=${globex.projectId}`, { ...body, project_id: acme.projectId }).expect(201);

    await post(`${PATH}?project_id=${globex.projectId}`, body).expect(403, { detail: 'Not a project member' });
    await post('/v1/projects/select', { project_id: acme.projectId });
    expect(await projectOf(PATH, body)).toBe(acme.projectId);
    expect((await api.as(acme.owner).get(PATH)).body).toHaveLength(4);
    await post(PATH, body, await acme.member()).expect(422);
  });

  it('is changed and tested by operators, seen by members, and not found by members of other projects', async () => {
    const id = await created(receiver.url);
    const member = await acme.member();
    expect(await list(member)).toHaveLength(1);
    const refusal = { detail: 'Insufficient project role' };
    await create({ target_url: receiver.url }, member).expect(403, refusal);
    await change(id, { name: 'Mine' }, member).expect(403, refusal);
    await act(id, 'disable', member).expect(403, refusal);
    await act(id, 'test', member).expect(403, refusal);
    await remove(id, member).expect(403, refusal);
    await change(id, { name: 'Ours' }, await acme.operator()).expect(200);
    const globex = await tenant();
    const foreign = await change(id, { name: 'Theirs' }, globex.owner);
    expect(foreign.body).toEqual({ detail: 'Alert destination not found' });
    expect(receiver.received).toEqual([]);
  });

  it('shows its whole address to operators and admins, and only the origin of it to viewers and members', async () => {
    const url = `${receiver.url}/services/T0/B0?token=credential-in-the-query`;
    const id = await created(url);
    for (const reader of [await acme.viewer(), await acme.member()]) {
      const asReader = api.as(reader);
      const answers = [
        await read(reader).expect(200),
        await asReader.get(`/v1/alerts/deliveries?project_id=${acme.projectId}`).expect(200),
        await asReader.get(`/v1/search?project_id=${acme.projectId}&q=Receiver`).expect(200),
        await asReader.get(`/v1/projects/${acme.projectId}/activity`).expect(200),
      ];
      expect(answers[0]?.body).toMatchObject([{ id, target_url: `${receiver.url}/***` }]);
      expect(answers.map(({ text }) => text).join()).not.toMatch(/credential-in-the-query|services\/T0/);
    }
    for (const reader of [await acme.operator(), await acme.admin()]) {
      expect(await list(reader)).toMatchObject([{ id, target_url: url }]);
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
  ])('returns 422 when its address is %s, and does not repeat the address', async (url, msg) => {
    const id = await created(receiver.url);
    for (const type of ['webhook', 'slack']) {
      const { body, text } = await create({ type, target_url: url }).expect(422);
      expect((body as Refusal).detail[0]).toMatchObject({ loc: ['body', 'target_url'], msg, input: '[redacted]' });
      expect(text).not.toContain('pass-word');
    }
    await change(id, { target_url: url }).expect(422);
    expect((await list()).map((one) => one.target_url)).toEqual([`${receiver.url}/`]);
  });

  it('returns 422 that names the invalid field of a new destination', async () => {
    for (const [field, invalid] of [
      ['type', { type: 'email' }],
      ['name', { name: '' }],
      ['name', { name: 'x'.repeat(201) }],
      ['secret', { secret: '' }],
      ['secret', { secret: 'x'.repeat(501) }],
      ['is_enabled', { is_enabled: 'maybe' }],
      ['target_url', { target_url: undefined }],
    ] as const) {
      const { body } = await create({ target_url: receiver.url, ...invalid }).expect(422);
      expect((body as Refusal).detail[0]?.loc).toEqual(['body', field]);
    }
  });

  it('returns 422 when its type is changed, or when its id is malformed', async () => {
    const id = await created(receiver.url);
    const { body } = await change(id, { type: 'slack' }).expect(422);
    expect((body as Refusal).detail[0]?.msg).toBe('Value error, the type of a destination cannot be changed');
    await change('nonsense', {}).expect(422);
  });

  it('masks a Slack address, keeps the address when the mask is sent back, and accepts another address', async () => {
    const id = await created(SLACK, { type: 'slack' });
    const before = await sealedAddress(id);
    const echoed = await change(id, { target_url: 'https://hooks.slack.com/***', name: 'Chat' });
    expect(echoed.body).toMatchObject({ type: 'slack', target_url: 'https://hooks.slack.com/***', name: 'Chat' });
    expect(await sealedAddress(id)).toBe(before);
    await change(id, { target_url: `${receiver.url}/slack/hidden-path` });
    expect((await list())[0]).toMatchObject({ target_url: `${receiver.url}/***` });
    await act(id, 'test');
    const [request] = receiver.received;
    expect(request).toMatchObject({ method: 'POST', path: '/slack/hidden-path' });
    expect(JSON.parse(request!.body)).toMatchObject({
      text: expect.stringMatching(/^\[INFO\] /),
      blocks: expect.any(Array),
    });
  });

  it('sends a signed test, and returns at most 500 characters of the answer to it, without secrets', async () => {
    const id = await created(`${receiver.url}/hook`, { secret: SECRET, is_enabled: false });
    receiver.answer((response) => response.writeHead(202).end(`thanks ${SECRET} ${'x '.repeat(900)}`));
    const answer = await act(id, 'test').expect(200);
    expect(answer.body).toMatchObject({
      ok: true,
      destination: { id, has_secret: true },
      response_code: 202,
      duration_ms: expect.any(Number),
    });
    const result = answer.body as { delivery_id: string; response_summary: string };
    expect(result.response_summary).toMatch(/^thanks /);
    expect(result.response_summary.length).toBeLessThanOrEqual(500);
    expect(answer.text).not.toContain(SECRET);
    const [request] = receiver.received;
    expect(request!.headers).toMatchObject({
      'user-agent': 'Service-Alerts/1.0',
      'x-service-delivery-id': result.delivery_id,
      'x-service-signature': expectedSignature(SECRET, request!),
    });
    new Webhook(Buffer.from(SECRET), { format: 'raw' }).verify(
      request!.body,
      request!.headers as Record<string, string>,
    );
    expect(JSON.parse(request!.body)).toMatchObject({
      project_id: acme.projectId,
      alert_event_id: null,
      payload: { test: true },
    });
    const deliveries = await api.as(acme.owner).get('/v1/alerts/deliveries', { project_id: acme.projectId });
    expect((deliveries.body as { total: number }).total).toBe(0);
  });

  it('returns 502 with the reason when its test fails', async () => {
    const id = await created(`${receiver.url}/hook`);
    for (const [status, reason] of [
      [500, 'http_500: The receiver answered 500'],
      [404, 'http_404: The receiver answered 404'],
      [302, 'http_302: Redirects are not followed'],
    ] as const) {
      receiver.answer((response) => response.writeHead(status, { Location: 'http://169.254.169.254/' }).end('no'));
      await act(id, 'test').expect(502, { detail: reason });
    }
    receiver.answer((_, __, socket) => socket.destroy());
    await act(id, 'test').expect(502, { detail: 'connection_reset: Connection was closed before an answer' });
    await redirectDestination(id, 'http://169.254.169.254/');
    await act(id, 'test').expect(502, { detail: 'unsafe_destination: Destination is not allowed' });
    expect(receiver.received).toHaveLength(4);
  });

  it('keeps secrets and Slack addresses out of tables, answers and logs', async () => {
    const id = await created(SLACK, { type: 'slack', secret: SECRET });
    const next = 'the-next-secret-0123456789';
    const changed = await change(id, { secret: next }).expect(200);
    const listed = await read().expect(200);
    const texts = [
      changed.text,
      listed.text,
      JSON.stringify(await storedDestinationsAndAuditEntries(acme.projectId)),
      await logText(),
    ];
    for (const text of texts) {
      for (const secret of [SECRET, next, 'slackpathsecret']) expect(text).not.toContain(secret);
    }
  });

  it('keeps every change when several are made at once', async () => {
    const id = await created(receiver.url);
    await Promise.all([
      change(id, { name: 'One' }),
      change(id, { secret: SECRET }),
      act(id, 'disable'),
      change(id, { target_url: `${receiver.url}/new` }),
    ]);
    const [destination] = await list();
    expect(destination).toMatchObject({
      name: 'One',
      has_secret: true,
      is_enabled: false,
      target_url: `${receiver.url}/new`,
    });
  });
});
