import { beforeEach, describe, expect, it } from '@jest/globals';
import { operations, whole } from '../../support/document.js';
import { RulesApi } from '../../support/rules-api.js';
import { api, type Tenant, tenant } from '../../support/service.js';

const ID = '01a00000-0000-7000-8000-000000000000';
const HOOK = 'https://receiver.example.com/hook';

interface Refusal {
  readonly detail: readonly { readonly type: string; readonly loc: readonly (string | number)[] }[] | string;
}

describe('a member of a body that is null', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const takers = operations.flatMap(({ method, path, operation }) => {
    const body = operation.requestBody?.content['application/json']?.schema;
    // A sign-out would end the session that the other requests need.
    if (method !== 'POST' || body === undefined || path.endsWith('/logout')) return [];
    const { properties = {}, required = [] } = whole(body);
    const optional = Object.keys(properties).filter((name) => !required.includes(name));
    return optional.length > 0 ? [{ path, required, optional }] : [];
  });
  const createChannel = (configuration: object) =>
    api.as(acme.owner).post('/v1/delivery/channels', {
      project_id: acme.projectId,
      name: 'Hook',
      type: 'webhook',
      configuration,
    });

  it('counts as left out in every POST operation where it is optional', async () => {
    expect(takers.length).toBeGreaterThan(20);
    const refused: string[] = [];
    for (const { path, required, optional } of takers) {
      const ids: Readonly<Record<string, string>> = {
        project_id: acme.projectId,
        organization_id: acme.organizationId,
      };
      const answer = await api
        .as(acme.owner)
        .post(
          path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ID),
          {
            ...Object.fromEntries(optional.map((name) => [name, null])),
            ...Object.fromEntries(required.flatMap((name) => (ids[name] === undefined ? [] : [[name, ids[name]]]))),
          },
        )
        .set('X-API-Key', acme.key.apiKey);
      const { detail } = answer.body as Refusal;
      if (detail === 'Internal Server Error') refused.push(`${path} ${detail}`);
      if (!Array.isArray(detail)) continue;
      const rows = detail as Exclude<Refusal['detail'], string>;
      for (const { type, loc } of rows) {
        if (type !== 'missing' && optional.includes(String(loc[1]))) refused.push(`${path} ${loc.join('.')} ${type}`);
      }
    }
    expect(refused).toEqual([]);
  });

  it('counts as left out where it is an optional member of a member', async () => {
    const channel = await createChannel({ url: HOOK, method: null, headers: null, retry_policy: null });
    expect(channel.body).toMatchObject({ configuration: { method: 'POST' } });
  });

  it('counts as left out in a condition whose operator needs no value', async () => {
    const createRule = (op: string) =>
      new RulesApi(acme).create({ condition: { kind: 'match', all: [{ field: 'severity', op, value: null }] } });
    const { body } = await createRule('exists').expect(201);
    expect(body).toMatchObject({ condition: { all: [{ op: 'exists', value: true }] } });
    const refused = await createRule('eq').expect(422);
    expect(refused.body).toMatchObject({ detail: [{ loc: ['body', 'condition', 'all', 0, 'value'] }] });
  });

  it('counts as left out in an event and in a line of a batch, also for idempotency', async () => {
    const nulls = { payload: null, properties: null, event_id: null, timestamp: null, severity: null, message: null };
    const event = { event_type: 'paid', source: 'shop' };
    const ingest = (body: object, type = 'application/json') =>
      api
        .as(acme.key)
        .post('/v1/events/ingest', JSON.stringify(body))
        .set('Content-Type', type)
        .set('Idempotency-Key', `null ${type}`);
    await ingest(event).expect(200);
    const { body } = await ingest({ ...event, ...nulls }).expect(200);
    expect(body).toMatchObject({ duplicate: true, properties: { source: 'shop' } });
    const { body: batch } = await ingest({ ...event, ...nulls }, 'application/x-ndjson').expect(200);
    expect(batch).toMatchObject({ accepted: 1, rejected: 0 });
  });

  it('is refused with the error of its type where it is required', async () => {
    const event = { event_type: null, source: 'shop' };
    const { body } = await api.as(acme.key).post('/v1/events/ingest', event).expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'string_type', loc: ['body', 'event_type'] }] });
  });

  it('is refused with the error of its type in a PATCH body that does not take null for it', async () => {
    const { body } = await api.as(acme.owner).patch(`/v1/projects/${acme.projectId}`, { name: null }).expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'string_type', loc: ['body', 'name'] }] });
  });

  it('is refused with the error of its type in a member of a PATCH body, too', async () => {
    const { id } = (await createChannel({ url: HOOK }).expect(201)).body as { id: string };
    const { body } = await api
      .as(acme.owner)
      .patch(`/v1/delivery/channels/${id}?project_id=${acme.projectId}`, {
        configuration: { url: HOOK, headers: null },
      })
      .expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'dict_type', loc: ['body', 'configuration', 'headers'] }] });
  });
});
