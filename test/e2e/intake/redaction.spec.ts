import { beforeEach, describe, expect, it } from '@jest/globals';
import { ofGitHub, HOOK_SECRET } from '../../support/hook-deliveries.js';
import { intake } from '../../support/intake-api.js';
import { JSON_TYPE, otlpBody, PROTOBUF, type Signal, sendOtlp } from '../../support/otlp.js';
import { api, type Tenant, tenant } from '../../support/service.js';
import { createHook } from '../../support/source-hooks.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';

const SECRET = 'hunter2';
/** A message that is stored whole in a property of its own. */
const LONG_SECRET = `${SECRET} ${'m'.repeat(3_000)}`;
const MASK = '[redacted]';
const CONTEXT = { specversion: '1.0', id: '1', source: '/shop', type: 'order.paid' };
const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };
/** A time that no event has, so that the event keeps its text. */
const NO_TIME = `${SECRET} o'clock`;

const text = (stringValue: string) => ({ stringValue });
const pair = (key: string, value: object = text(SECRET)) => ({ key, value });
const map = (...values: object[]) => ({ kvlistValue: { values } });
const logs = (record: object, resource: object = {}) => ({
  resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }],
});
const span = (more: object) => ({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'GET', kind: 2, ...more }] }] }] });
const exception = (...attributes: object[]) => span({ kind: 3, events: [{ name: 'exception', attributes }] });

describe('a value that a project redacts under the name of its sender', () => {
  let acme: Tenant;
  let key: Record<string, string>;

  beforeEach(async () => {
    acme = await tenant();
    key = { 'X-API-Key': acme.key.apiKey };
  });

  const redact = async (...paths: string[]): Promise<void> => {
    const settings = `/v1/projects/${acme.projectId}/settings`;
    await api.as(acme.owner).put(settings, { redacted_properties: paths }).expect(200);
  };
  /** Returns the only event of the project. No answer about the event has the secret anywhere. */
  const only = async (): Promise<object> => {
    const asOwner = api.as(acme.owner);
    const events = await asOwner.get('/v1/events', { project_id: acme.projectId }).expect(200);
    const explored = await asOwner.get(`/v1/projects/${acme.projectId}/events`).expect(200);
    const lines = await asOwner.get('/v1/logs', { project_id: acme.projectId }).expect(200);
    for (const { text: answer } of [events, explored, lines]) expect(answer).not.toContain(SECRET);
    const { items } = events.body as { items: object[] };
    expect(items).toHaveLength(1);
    return items[0] ?? {};
  };

  it.each<[string, object, object]>([
    ['body', { body: SECRET }, { message: MASK }],
    ['msg', { msg: LONG_SECRET }, { message: MASK }],
    ['host', { host: SECRET }, { source: MASK, properties: { source: MASK } }],
    ['levelname', { levelname: SECRET }, { severity: MASK }],
    ['event', { event: SECRET }, { event: MASK }],
    ['ts', { ts: NO_TIME }, { properties: { timestamp_original: MASK } }],
    ['timestamp', { date: NO_TIME }, { properties: { timestamp_original: MASK } }],
    ['message', { log: LONG_SECRET }, { message: MASK, properties: { message_full: MASK } }],
    ['payload.card', { payload: { card: SECRET } }, { properties: { card: MASK } }],
    ['properties.*.pin', { properties: { card: { pin: SECRET } } }, { properties: { card: { pin: MASK } } }],
  ])('is masked as %s of JSON', async (path, body, stored) => {
    await redact(path);
    expect(await intake.send('json', body, key)).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(await only()).toMatchObject(stored);
  });

  it.each<[string, Signal, object, object]>([
    [
      'exception.message',
      'traces',
      exception(pair('exception.type', text('TypeError')), pair('exception.message')),
      { message: `TypeError: ${MASK}`, properties: { 'exception.message': MASK } },
    ],
    ['url.path', 'traces', span({ attributes: [pair('url.path')] }), { properties: { path: MASK, 'url.path': MASK } }],
    [
      'http.target',
      'traces',
      span({ attributes: [pair('http.target', text(`/${SECRET}?pin=${SECRET}`))] }),
      { properties: { path: MASK, 'http.target': MASK } },
    ],
    [
      'http.route',
      'logs',
      logs({ attributes: [pair('http.route')] }),
      { properties: { route: MASK, 'http.route': MASK } },
    ],
    ['body', 'logs', logs({ body: text(LONG_SECRET) }), { message: MASK }],
    [
      'body.card',
      'logs',
      logs({ body: map(pair('card'), pair('kind', text('visa'))) }),
      { message: `{"card":"${MASK}","kind":"visa"}` },
    ],
    ['message', 'logs', logs({ body: text(LONG_SECRET) }), { message: MASK, properties: { message_full: MASK } }],
    ['event.name', 'logs', logs({ attributes: [pair('event.name')] }), { event: MASK }],
    [
      'resource.service.name',
      'logs',
      logs({}, { attributes: [pair('service.name')] }),
      { source: MASK, properties: { resource: { 'service.name': MASK } } },
    ],
    [
      'severity',
      'logs',
      logs({ severityText: 'INFO', attributes: [pair('severity')] }),
      { severity: MASK, properties: { attributes: { severity: MASK } } },
    ],
    [
      'path',
      'logs',
      logs({ attributes: [pair('path'), pair('url.path', text('/orders'))] }),
      { properties: { path: MASK, 'url.path': MASK } },
    ],
    [
      'message',
      'traces',
      exception(pair('exception.type', text('TypeError')), pair('exception.message')),
      { message: MASK, properties: { 'exception.message': MASK } },
    ],
    ['path', 'traces', span({ attributes: [pair('url.path')] }), { properties: { path: MASK, 'url.path': MASK } }],
    ['route', 'logs', logs({ attributes: [pair('http.route')] }), { properties: { route: MASK, 'http.route': MASK } }],
    [
      'source',
      'logs',
      logs({}, { attributes: [pair('service.name')] }),
      { properties: { source: MASK, resource: { 'service.name': MASK } } },
    ],
  ])('is masked as %s of OTLP %s', async (path, signal, request, stored) => {
    await redact(path);
    const bytes = otlpBody(signal, request, PROTOBUF);
    expect((await sendOtlp(signal, bytes, { ...key, 'Content-Type': PROTOBUF })).status).toBe(200);
    expect(await only()).toMatchObject(stored);
  });

  it('is masked in OTLP with a time that cannot be read', async () => {
    await redact('timestamp');
    const bytes = otlpBody('logs', logs({ timeUnixNano: NO_TIME }), JSON_TYPE);
    expect((await sendOtlp('logs', bytes, { ...key, 'Content-Type': JSON_TYPE })).status).toBe(200);
    expect(await only()).toMatchObject({ properties: { timestamp_original: MASK } });
  });

  it.each<[string, object, object]>([
    ['card.number', { data: { card: { number: SECRET } } }, { card: { number: MASK } }],
    ['data.card.number', { data: { card: { number: SECRET } } }, { card: { number: MASK } }],
    ['data', { data: { card: SECRET } }, { data: MASK }],
    ['data', { data: SECRET }, { data: MASK }],
    ['data_base64', { data_base64: btoa(`{"card":"${SECRET}"}`), datacontenttype: JSON_TYPE }, { data: MASK }],
    ['subject', { subject: SECRET }, { subject: MASK }],
    ['subject', { subject: SECRET, data: { subject: 'own' } }, { cloudevents_attributes: { subject: MASK } }],
    ['time', { time: NO_TIME }, { timestamp_original: MASK }],
    ['id', { id: SECRET }, { event_id: MASK }],
    ['source', { source: SECRET }, { source: MASK }],
  ])('is masked as %s of the CloudEvent %j', async (path, more, properties) => {
    await redact(path);
    expect(await intake.send('cloudevents', { ...CONTEXT, ...more }, { ...key, ...STRUCTURED })).toMatchObject({
      status: 200,
      body: { accepted: 1 },
    });
    expect(await only()).toMatchObject({ properties });
  });

  it.each([['subject'], ['data.card'], ['card']])('is masked as %s of a CloudEvent in binary mode', async (path) => {
    await redact('subject', 'card');
    if (path === 'data.card') await redact('subject', path);
    const attributes = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/shop', 'ce-type': 'order.paid' };
    const headers = { ...key, ...attributes, 'ce-subject': SECRET, 'Content-Type': JSON_TYPE };
    expect(await intake.send('cloudevents', { card: SECRET }, headers)).toMatchObject({ status: 200 });
    expect(await only()).toMatchObject({ properties: { subject: MASK, card: MASK } });
  });

  it.each<[string, object, object]>([
    ['action', { action: SECRET }, { event: `github.issues.${MASK}`, properties: { action: MASK } }],
    ['issue.title', { issue: { title: SECRET, number: 1 } }, { properties: { issue: { title: MASK, number: 1 } } }],
    ['commits.author', { commits: [{ author: SECRET }] }, { properties: { commits: [{ author: MASK }] } }],
  ])('is masked as %s of the webhook %j', async (path, body, stored) => {
    await setPlan(acme.organizationId, 'scale');
    await redact(path);
    const hook = await createHook(acme, { scheme: 'github', secret: HOOK_SECRET });
    const delivery = ofGitHub('issues', body);
    const address = new URL(hook.hook_url).pathname.replace('/intake/', '');
    expect(await intake.send(address, delivery.body, delivery.headers)).toMatchObject({ status: 200 });
    expect(await only()).toMatchObject(stored);
  });
});
