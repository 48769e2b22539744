import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV } from '../../support/delivery.js';
import { operations, whole } from '../../support/document.js';

const ID = '01a00000-0000-7000-8000-000000000000';

interface Refusal {
  readonly detail: readonly { readonly type: string; readonly loc: readonly (string | number)[] }[] | string;
}

describe('null for an optional member of a body', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  const takers = operations.flatMap(({ method, path, operation }) => {
    const body = operation.requestBody?.content['application/json']?.schema;
    // It would end the session of all others.
    if (method !== 'POST' || body === undefined || path.endsWith('/logout')) return [];
    const { properties = {}, required = [] } = whole(body);
    const optional = Object.keys(properties).filter((name) => !required.includes(name));
    return optional.length > 0 ? [{ path, required, optional }] : [];
  });

  it('is taken as left out by every POST operation', async () => {
    expect(takers.length).toBeGreaterThan(20);
    const refused: string[] = [];
    for (const { path, required, optional } of takers) {
      const ids: Readonly<Record<string, string>> = {
        project_id: owner.projectId,
        organization_id: owner.organizationId,
      };
      const answer = await app
        .request()
        .post(path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ID))
        .set('Authorization', owner.bearer)
        .set('X-API-Key', owner.apiKey)
        .send({
          ...Object.fromEntries(optional.map((name) => [name, null])),
          ...Object.fromEntries(required.flatMap((name) => (ids[name] === undefined ? [] : [[name, ids[name]]]))),
        });
      const { detail } = answer.body as Refusal;
      // A payment provider that is not configured is a 500 as well, and says so.
      if (detail === 'Internal Server Error') refused.push(`${path} ${detail}`);
      if (!Array.isArray(detail)) continue;
      const rows = detail as Exclude<Refusal['detail'], string>;
      for (const { type, loc } of rows) {
        if (type !== 'missing' && optional.includes(String(loc[1]))) refused.push(`${path} ${loc.join('.')} ${type}`);
      }
    }
    expect(refused).toEqual([]);
  });

  it('is taken as left out within the members of a body', async () => {
    const channel = await app
      .request()
      .post('/v1/delivery/channels')
      .set('Authorization', owner.bearer)
      .send({
        project_id: owner.projectId,
        name: 'Hook',
        type: 'webhook',
        configuration: { url: 'https://receiver.example.com/hook', method: null, headers: null, retry_policy: null },
      });
    expect(channel.body).toMatchObject({ configuration: { method: 'POST' } });
  });

  it('is taken as left out by events and lines of a batch, which are the same to idempotency', async () => {
    const nulls = { payload: null, properties: null, event_id: null, timestamp: null, severity: null, message: null };
    const event = { event_type: 'paid', source: 'shop' };
    const ingest = (body: object | string, type = 'application/json') =>
      app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .set('Content-Type', type)
        .set('Idempotency-Key', `null ${type}`)
        .send(typeof body === 'string' ? body : JSON.stringify(body));
    await ingest(event).expect(200);
    const { body } = await ingest({ ...event, ...nulls }).expect(200);
    expect(body).toMatchObject({ duplicate: true, properties: { source: 'shop' } });
    const { body: batch } = await ingest(JSON.stringify({ ...event, ...nulls }), 'application/x-ndjson').expect(200);
    expect(batch).toMatchObject({ accepted: 1, rejected: 0 });
  });

  it('is the error of its type for a required member', async () => {
    const { body } = await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', owner.apiKey)
      .send({ event_type: null, source: 'shop' })
      .expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'string_type', loc: ['body', 'event_type'] }] });
  });

  it('is the error of its type in a PATCH body where the member does not take null', async () => {
    const { body } = await app
      .request()
      .patch(`/v1/projects/${owner.projectId}`)
      .set('Authorization', owner.bearer)
      .send({ name: null })
      .expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'string_type', loc: ['body', 'name'] }] });
  });

  it('is the error of its type within a PATCH body, too', async () => {
    const ofProject = `project_id=${owner.projectId}`;
    const { body: channels } = await app
      .request()
      .get(`/v1/delivery/channels?${ofProject}`)
      .set('Authorization', owner.bearer)
      .expect(200);
    const { body } = await app
      .request()
      .patch(`/v1/delivery/channels/${(channels as readonly { id: string }[])[0]?.id}?${ofProject}`)
      .set('Authorization', owner.bearer)
      .send({ configuration: { url: 'https://receiver.example.com/hook', headers: null } })
      .expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'dict_type', loc: ['body', 'configuration', 'headers'] }] });
  });
});
