import { beforeEach, describe, expect, it } from '@jest/globals';
import { startReceiver } from '../../support/receiver.js';
import { api, type Tenant, tenant } from '../../support/service.js';
import { storedProperties } from '../../support/sql-builders/events.js';

/** Two ids that are the same double. */
const [ID, NEXT_ID] = ['608548899684111178', '608548899684111179'];
const LONG = '123456789012345678901234567890';
const FRACTION = '0.1234567890123456789';
const PAYLOAD = `{"id":${ID},"long":-${LONG},"list":[1,${NEXT_ID},{"deep":${FRACTION}}],"text":"${LONG}","n":1.5}`;
const NUMBERS = [`"id":${ID}`, `"long":-${LONG}`, NEXT_ID, `"deep":${FRACTION}`, `"text":"${LONG}"`, '"n":1.5'];

const eventOf = (payload: string, more = ''): string =>
  `{"event_type":"paid","source":"shop",${more}"payload":${payload}}`;

/** Texts are compared without blanks, which `jsonb` writes after commas and colons. */
const expectNumbers = (text: string): void => {
  for (const number of NUMBERS) expect(text.replaceAll(' ', '')).toContain(number);
};

describe('a number with more digits than a double holds', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const ingest = (body: string, type = 'application/json') =>
    api.as(acme.key).post('/v1/events/ingest').set('Content-Type', type).send(body);
  const read = async (path: string): Promise<string> => (await api.as(acme.owner).get(path).expect(200)).text;
  const post = (path: string, body: object | string) =>
    api.as(acme.owner).post(path).set('Content-Type', 'application/json').send(body);

  it('keeps its digits in single events, batches and events of the dashboard', async () => {
    const { text } = await ingest(eventOf(PAYLOAD)).expect(200);
    expectNumbers(text);
    await ingest(`${eventOf('{"id":1}')}\n${eventOf(PAYLOAD)}\n`, 'application/x-ndjson').expect(200);
    const ofProject = `"project_id":"${acme.projectId}",`;
    expectNumbers((await post('/v1/events', eventOf(PAYLOAD, ofProject)).expect(201)).text);
    const stored = await storedProperties(acme.projectId);
    expect(stored).toHaveLength(4);
    for (const text of stored.filter((one) => !one.includes('"id": 1,'))) expectNumbers(text);
  });

  it('keeps its digits in every read of events', async () => {
    const { body } = await ingest(eventOf(PAYLOAD)).expect(200);
    const { ingested_event_id: id } = body as { ingested_event_id: string };
    const of = `/v1/projects/${acme.projectId}/events`;
    expectNumbers(await read(of));
    expectNumbers(await read(`${of}/${id}`));
    expectNumbers(await read(`/v1/events?project_id=${acme.projectId}`));
    expectNumbers(await read(`/v1/logs?project_id=${acme.projectId}`));
    const query = { project_id: acme.projectId, query: 'paid where true' };
    expectNumbers((await post('/v1/eql', query).expect(200)).text);
    for (const format of ['ndjson', 'csv']) {
      const { body: lines } = await post(`${of}/export`, { format, range: 'all' }).responseType('text').expect(200);
      expectNumbers(String(lines).replaceAll('""', '"'));
    }
  });

  it('differs from another number of the same double in breakdowns and joins', async () => {
    await ingest(eventOf(`{"id":${ID}}`)).expect(200);
    await ingest(eventOf(`{"id":${NEXT_ID}}`)).expect(200);
    await ingest(eventOf(`{"id":${NEXT_ID}}`).replace('paid', 'sent')).expect(200);
    const asked = `project_id=${acme.projectId}&by=properties.id&range=24h`;
    const breakdown = (await read(`/v1/analytics/breakdown?${asked}`)).replaceAll(' ', '');
    expect(breakdown).toContain(`"value":${NEXT_ID},"events":2`);
    expect(breakdown).toContain(`"value":${ID},"events":1`);
    const query = { project_id: acme.projectId, query: 'sequence by id [paid where true] [sent where true]' };
    const { text } = await post('/v1/eql', query).expect(200);
    expect(text).toContain(`"join_keys":[${NEXT_ID}]`);
    expect(text).not.toContain(`"join_keys":[${ID}]`);
    const tupled = { ...query, query: 'sequence by id, source [paid where true] [sent where true]' };
    expect((await post('/v1/eql', tupled).expect(200)).text).toContain(`"join_keys":[${NEXT_ID},"shop"]`);
  });

  it('returns 409 under the idempotency key of another number of the same double, and 200 under that of an equal one', async () => {
    const send = (id: string) => ingest(eventOf(`{"id":${id}}`)).set('Idempotency-Key', 'once');
    const { text: first } = await send(ID).expect(200);
    await send(NEXT_ID).expect(409);
    const { text: again } = await send(`${ID}.0`).expect(200);
    expect(again).toBe(first.replace('"duplicate":false', '"duplicate":true'));
  });

  it('keeps its digits in alerts and in the webhooks that report them', async () => {
    const receiver = await startReceiver();
    const asOwner = api.as(acme.owner);
    const { projectId: project_id } = acme;
    const destination = { project_id, type: 'webhook', name: 'Receiver', target_url: receiver.url };
    await asOwner.post('/v1/alert-destinations', destination).expect(201);
    const condition = { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'paid' }] };
    await asOwner.post('/v1/alert-rules', { project_id, name: 'Payments fail', condition }).expect(201);
    await ingest(eventOf(PAYLOAD)).expect(200);
    await receiver.requests(1);
    expectNumbers(await read(`/v1/alerts/events?project_id=${project_id}`));
    expect(JSON.parse(await read(`/v1/alerts/deliveries?project_id=${project_id}`))).toMatchObject({ total: 1 });
    expect(receiver.received).toHaveLength(1);
    expectNumbers(receiver.received[0]?.body ?? '');
    await receiver.close();
  });

  it('is compared as a double in a condition', async () => {
    await ingest(eventOf(`{"id":${ID}}`)).expect(200);
    for (const condition of [`id > 6085488996841111`, `id == ${ID}`, `string(id) != "x"`]) {
      const query = { project_id: acme.projectId, query: `paid where ${condition}` };
      const { body } = await post('/v1/eql', query).expect(200);
      expect((body as { events: object[] }).events).toHaveLength(1);
    }
  });

  it('is a number in the fields that are derived for the log', async () => {
    await ingest(eventOf(`{"latency_ms":12.500000000000000001,"path":${ID}}`)).expect(200);
    const [row] = JSON.parse(await read(`/v1/logs?project_id=${acme.projectId}`)) as [object];
    expect(row).toMatchObject({ endpoint: ID, latency_ms: 13 });
  });

  it.each([
    ['is larger than any double, as 1e400 is', '{"n":1e400}', 'numbers must be finite'],
    ['has 20,000 decimal places', `{"n":0.${'1'.repeat(20_000)}}`, 'numbers must not have more than 1000 digits'],
  ])('returns 422 when it %s', async (_, payload, sentence) => {
    const { body } = await ingest(eventOf(payload)).expect(422);
    expect(body).toMatchObject({ detail: [{ loc: ['body', 'payload'], msg: `Value error, ${sentence}` }] });
  });

  it('returns 422 in place of a text, and is a double in the answer', async () => {
    const { body } = await ingest(eventOf('{}', `"message":${ID},`)).expect(422);
    expect(body).toMatchObject({ detail: [{ loc: ['body', 'message'], input: Number(ID) }] });
  });

  it('returns 422 when it begins with a zero, which JSON does not allow', async () => {
    // With its digits in quotes this would be JSON.
    await ingest(eventOf(`{"n":0${ID}}`)).expect(422);
  });
});
