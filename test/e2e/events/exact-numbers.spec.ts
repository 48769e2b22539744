import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { alertsOf, runAlertDeliveries } from '../../support/alerts.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { startReceiver } from '../../support/receiver.js';
import { eventIs, matchEvents, RULES_ENV, rulesOf } from '../../support/rules.js';

/** Two ids that are the same double. */
const [ID, NEXT_ID] = ['608548899684111178', '608548899684111179'];
const LONG = '123456789012345678901234567890';
const FRACTION = '0.1234567890123456789';
const PAYLOAD = `{"id":${ID},"long":-${LONG},"list":[1,${NEXT_ID},{"deep":${FRACTION}}],"text":"${LONG}","n":1.5}`;
const NUMBERS = [`"id":${ID}`, `"long":-${LONG}`, NEXT_ID, `"deep":${FRACTION}`, `"text":"${LONG}"`, '"n":1.5'];

const eventOf = (payload: string, more = ''): string =>
  `{"event_type":"paid","source":"shop",${more}"payload":${payload}}`;

/** Texts are compared without blanks, which `jsonb` writes behind commas and colons. */
const expectNumbers = (text: string): void => {
  for (const number of NUMBERS) expect(text.replaceAll(' ', '')).toContain(number);
};

describe('numbers with more digits than a double holds', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp({ env: RULES_ENV });
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  const ingest = (body: string, type = 'application/json') =>
    app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).set('Content-Type', type).send(body);
  const read = async (path: string): Promise<string> => {
    const { text } = await app.request().get(path).set('Authorization', owner.bearer).expect(200);
    return text;
  };
  const post = (path: string, body: object | string) =>
    app
      .request()
      .post(path)
      .set('Authorization', owner.bearer)
      .set('Content-Type', 'application/json')
      .send(typeof body === 'string' ? body : JSON.stringify(body));
  const properties = async (): Promise<string[]> => {
    const rows = await app.rows<{ properties: string }>(
      'SELECT properties::text AS properties FROM events WHERE project_id = $1 ORDER BY id',
      [owner.projectId],
    );
    return rows.map((row) => row.properties);
  };

  it('keep their digits in single events, batches and events of the dashboard', async () => {
    const { text } = await ingest(eventOf(PAYLOAD)).expect(200);
    expectNumbers(text);
    await ingest(`${eventOf('{"id":1}')}\n${eventOf(PAYLOAD)}\n`, 'application/x-ndjson').expect(200);
    const { text: recorded } = await post('/v1/events', eventOf(PAYLOAD, `"project_id":"${owner.projectId}",`)).expect(
      201,
    );
    expectNumbers(recorded);
    const stored = await properties();
    expect(stored).toHaveLength(4);
    for (const text of stored.filter((one) => !one.includes('"id": 1,'))) expectNumbers(text);
  });

  it('keep their digits in every read of events', async () => {
    const { body } = await ingest(eventOf(PAYLOAD)).expect(200);
    const { ingested_event_id: id } = body as { ingested_event_id: string };
    const of = `/v1/projects/${owner.projectId}/events`;
    expectNumbers(await read(of));
    expectNumbers(await read(`${of}/${id}`));
    expectNumbers(await read(`/v1/events?project_id=${owner.projectId}`));
    expectNumbers(await read(`/v1/logs?project_id=${owner.projectId}`));
    const query = { project_id: owner.projectId, query: 'paid where true' };
    expectNumbers((await post('/v1/eql', query).expect(200)).text);
    for (const format of ['ndjson', 'csv']) {
      const { body: lines } = await post(`${of}/export`, { format, range: 'all' }).responseType('text').expect(200);
      expectNumbers(String(lines).replaceAll('""', '"'));
    }
  });

  it('tell events apart in breakdowns and joins', async () => {
    await ingest(eventOf(`{"id":${ID}}`)).expect(200);
    await ingest(eventOf(`{"id":${NEXT_ID}}`)).expect(200);
    await ingest(eventOf(`{"id":${NEXT_ID}}`).replace('paid', 'sent')).expect(200);
    const asked = `project_id=${owner.projectId}&by=properties.id&range=24h`;
    const breakdown = (await read(`/v1/analytics/breakdown?${asked}`)).replaceAll(' ', '');
    expect(breakdown).toContain(`"value":${NEXT_ID},"events":2`);
    expect(breakdown).toContain(`"value":${ID},"events":1`);
    const query = { project_id: owner.projectId, query: 'sequence by id [paid where true] [sent where true]' };
    const { text } = await post('/v1/eql', query).expect(200);
    expect(text).toContain(`"join_keys":[${NEXT_ID}]`);
    expect(text).not.toContain(`"join_keys":[${ID}]`);
    const tupled = { ...query, query: 'sequence by id, source [paid where true] [sent where true]' };
    expect((await post('/v1/eql', tupled).expect(200)).text).toContain(`"join_keys":[${NEXT_ID},"shop"]`);
  });

  it('tell requests of one idempotency key apart', async () => {
    const send = (id: string) => ingest(eventOf(`{"id":${id}}`)).set('Idempotency-Key', 'once');
    const { text: first } = await send(ID).expect(200);
    await send(NEXT_ID).expect(409);
    const { text: again } = await send(`${ID}.0`).expect(200);
    expect(again).toBe(first.replace('"duplicate":false', '"duplicate":true'));
  });

  it('keep their digits in alerts and in what webhooks receive', async () => {
    const receiver = await startReceiver();
    const alerts = alertsOf(app, owner);
    await alerts.destination(receiver.url);
    await rulesOf(app, owner).rule({ condition: { kind: 'match', ...eventIs('paid') } });
    await ingest(eventOf(PAYLOAD)).expect(200);
    await matchEvents(app);
    await runAlertDeliveries(app);
    expectNumbers(await read(`/v1/alerts/events?project_id=${owner.projectId}`));
    expect(receiver.received).toHaveLength(1);
    expectNumbers(receiver.received[0]?.body ?? '');
    await receiver.close();
  });

  it('are compared as doubles where a condition compares them', async () => {
    await ingest(eventOf(`{"id":${ID}}`)).expect(200);
    for (const condition of [`id > 6085488996841111`, `id == ${ID}`, `string(id) != "x"`]) {
      const { body } = await post('/v1/eql', { project_id: owner.projectId, query: `paid where ${condition}` }).expect(
        200,
      );
      expect((body as { events: object[] }).events).toHaveLength(1);
    }
  });

  it('are numbers in what is derived for the log', async () => {
    await ingest(eventOf(`{"latency_ms":12.500000000000000001,"path":${ID}}`)).expect(200);
    const [row] = JSON.parse(await read(`/v1/logs?project_id=${owner.projectId}`)) as [object];
    expect(row).toMatchObject({ endpoint: ID, latency_ms: 13 });
  });

  it.each([
    ['a number that is too large', '{"n":1e400}', 'numbers must be finite'],
    ['a number with too many digits', `{"n":0.${'1'.repeat(20_000)}}`, 'numbers must not have more than 1000 digits'],
  ])('returns 422 for %s', async (_, payload, sentence) => {
    const { body } = await ingest(eventOf(payload)).expect(422);
    expect(body).toMatchObject({ detail: [{ loc: ['body', 'payload'], msg: `Value error, ${sentence}` }] });
  });

  it('returns 422 for a number in place of a text, which is shown as a double', async () => {
    const { body } = await ingest(eventOf('{}', `"message":${ID},`)).expect(422);
    expect(body).toMatchObject({ detail: [{ loc: ['body', 'message'], input: Number(ID) }] });
  });

  it('returns 422 for what is no JSON, although it would be with its digits in quotes', async () => {
    await ingest(eventOf(`{"n":0${ID}}`)).expect(422);
  });
});
