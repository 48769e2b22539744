import { beforeEach, describe, expect, it } from '@jest/globals';
import { CloudEvent, emitterFor, type Message, Mode } from 'cloudevents';
import type { IngestAnswer } from '../../support/ingestion-api.js';
import { type IntakeEvent, intake } from '../../support/intake-api.js';
import { job, type Tenant, tenant } from '../../support/service.js';
import { ingestionDatabase } from '../../support/sql-builders/ingestion.js';

const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };
const BATCH = { 'Content-Type': 'application/cloudevents-batch+json' };
const CONTEXT = { specversion: '1.0', id: '1', source: '/shop', type: 'order.paid' };
const ALL_REFUSED = 'All events of the batch were refused';

type Headers = Readonly<Record<string, string>>;

/** A CloudEvent in structured mode. */
const event = (more: object = {}): object => ({ ...CONTEXT, ...more });

describe('CloudEvents', () => {
  let acme: Tenant;
  let key: Record<string, string>;

  beforeEach(async () => {
    acme = await tenant();
    key = { 'X-API-Key': acme.key.apiKey };
  });

  const send = (body: object | string | Buffer, headers: Headers): Promise<IngestAnswer> =>
    intake.send('cloudevents', body, { ...key, ...headers });
  const binary = (body: string | Buffer, headers: Headers = {}): Promise<IngestAnswer> =>
    send(body, { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/shop', 'ce-type': 'order.paid', ...headers });
  const stored = (): Promise<IntakeEvent[]> => intake.events(acme);

  describe('CloudEvents of the official SDK', () => {
    const overHttp = async (mode: Mode, sent: CloudEvent<unknown>): Promise<IngestAnswer> => {
      const emit = emitterFor(({ headers, body }: Message) => send(body as string, headers as Headers), { mode });
      return (await emit(sent)) as IngestAnswer;
    };

    it.each([[Mode.BINARY], [Mode.STRUCTURED]])('are stored with attributes and data in %s mode', async (mode) => {
      const sent = new CloudEvent({
        id: 'order 7 ä',
        source: 'https://shop.example.com/orders',
        type: 'com.example.order.paid',
        time: '2026-11-20T10:00:00.123Z',
        subject: 'orders/7',
        traceparent: '00-aa-bb-01',
        data: { amount: 42, items: [{ sku: 'a' }] },
      });
      expect(await overHttp(mode, sent)).toMatchObject({ status: 200, body: { accepted: 1 } });
      expect(await stored()).toMatchObject([
        {
          event: 'com.example.order.paid',
          source: 'https://shop.example.com/orders',
          external_event_id: 'order 7 ä',
          timestamp: '2026-11-20T10:00:00.123Z',
          properties: { amount: 42, items: [{ sku: 'a' }], subject: 'orders/7', traceparent: '00-aa-bb-01' },
        },
      ]);
    });

    it('are stored with text or bytes when their data is not JSON', async () => {
      const base = { source: '/files', type: 'file' };
      const text = new CloudEvent({ ...base, datacontenttype: 'text/plain', data: 'Größe' });
      const bytes = new CloudEvent({ ...base, datacontenttype: 'image/png', data: new Uint8Array([0, 255]) });
      await overHttp(Mode.STRUCTURED, text);
      await overHttp(Mode.STRUCTURED, bytes);
      expect((await stored()).map(({ properties }) => properties)).toMatchObject([
        { data: 'Größe' },
        { data_base64: 'AP8=' },
      ]);
    });

    it('are stored once each when they are sent in batches', async () => {
      const events = [1, 2, 1].map((id) => new CloudEvent({ id: String(id), source: '/shop', type: 'a' }));
      const first = await send(events, BATCH);
      expect(first.body).toMatchObject({
        accepted: 3,
        rejected: 0,
        duplicates: 1,
        results: [{ duplicate: false }, { duplicate: false }, { duplicate: true }],
      });
      const [one, two, three] = first.body.results as { ingested_event_id: string }[];
      expect(three?.ingested_event_id).toBe(one?.ingested_event_id);
      const again = await send(events, BATCH);
      expect(again.body).toMatchObject({
        accepted: 3,
        duplicates: 3,
        results: [one, two, one].map((result) => ({ duplicate: true, ingested_event_id: result?.ingested_event_id })),
      });
      expect(await stored()).toHaveLength(2);
    });
  });

  it('are stored once for each source and id of a project, with any key and in any mode', async () => {
    const other = await tenant();
    const first = await send(event(), STRUCTURED);
    const again = await binary('{"amount":1}', { 'Content-Type': 'application/json' });
    expect(again.body).toMatchObject({
      accepted: 1,
      duplicates: 1,
      results: [
        {
          duplicate: true,
          ingested_event_id: (first.body.results as { ingested_event_id: string }[])[0]?.ingested_event_id,
        },
      ],
    });
    expect((await send(event({ source: '/other' }), STRUCTURED)).body).toMatchObject({ duplicates: 0 });
    const elsewhere = await intake.send('cloudevents', event(), { ...STRUCTURED, 'X-API-Key': other.key.apiKey });
    expect(elsewhere.body).toMatchObject({ duplicates: 0 });
    expect(await stored()).toHaveLength(2);
  });

  it('are stored again 24 hours after the first event with their id, and their keys are removed an hour later', async () => {
    await send(event(), STRUCTURED);
    await ingestionDatabase.ageUniqueKeys(acme.projectId, '23 hours 55 minutes');
    expect((await send(event(), STRUCTURED)).body).toMatchObject({ duplicates: 1 });
    await ingestionDatabase.ageUniqueKeys(acme.projectId, '24 hours 1 minute');
    expect((await send(event(), STRUCTURED)).body).toMatchObject({ duplicates: 0 });
    expect((await send(event(), STRUCTURED)).body).toMatchObject({ duplicates: 1 });
    expect(await stored()).toHaveLength(2);
    await ingestionDatabase.ageUniqueKeys(acme.projectId, '24 hours 55 minutes');
    await job('maintenance');
    expect(await ingestionDatabase.uniqueKeys(acme.projectId)).toBe(1);
    await ingestionDatabase.ageUniqueKeys(acme.projectId, '25 hours 1 minute');
    await job('maintenance');
    expect(await ingestionDatabase.uniqueKeys(acme.projectId)).toBe(0);
  });

  it.each([
    ['a list', '[1,2]', 'application/json', { data: [1, 2] }],
    ['text', 'hello', 'text/plain; charset=utf-8', { data: 'hello' }],
    ['XML', '<a/>', 'application/soap+xml', { data: '<a/>' }],
    ['bytes', Buffer.from([0xff, 0xfe]), 'application/octet-stream', { data_base64: '//4=' }],
    ['text that is not UTF-8', Buffer.from([0xff]), 'text/plain', { data_base64: '/w==' }],
    ['JSON of a format', '{"a":1}', 'application/vnd.example+json', { a: 1 }],
  ])('are stored in binary mode with data that is %s', async (_, body, type, properties) => {
    expect(await binary(body, { 'Content-Type': type })).toMatchObject({ status: 200 });
    expect((await stored()).map((one) => one.properties)).toMatchObject([properties]);
  });

  it('are stored with the attributes that members of their data displace', async () => {
    const more = { subject: 'orders/7', traceparent: '00-aa', tenant: 'acme' };
    await send(event({ ...more, data: { subject: 'own', tenant: { id: 1 }, amount: 1 } }), STRUCTURED);
    await binary('{"subject":"own"}', { 'ce-id': '2', 'ce-subject': 'orders/7', 'Content-Type': 'application/json' });
    await send(event({ ...more, id: '3', data: { amount: 1 } }), STRUCTURED);
    const [first, second, third] = (await stored()).map(({ properties }) => properties);
    expect(first).toMatchObject({
      subject: 'own',
      tenant: { id: 1 },
      amount: 1,
      traceparent: '00-aa',
      cloudevents_attributes: { subject: 'orders/7', tenant: 'acme' },
    });
    expect(first?.cloudevents_attributes).not.toHaveProperty('traceparent');
    expect(second).toMatchObject({ subject: 'own', cloudevents_attributes: { subject: 'orders/7' } });
    expect(third).toMatchObject(more);
    expect(third).not.toHaveProperty('cloudevents_attributes');
  });

  it.each([
    ['spaces', ' '.repeat(20_000)],
    ['spaces around a type', `${' '.repeat(10_000)}application/json${' '.repeat(10_000)}`],
    ['semicolons', ';'.repeat(20_000)],
    ['letters', 'a'.repeat(20_000)],
  ])('are stored with their bytes when the datacontenttype is 20,000 %s', async (_, datacontenttype) => {
    const answer = await send(event({ datacontenttype, data_base64: 'AP8=' }), STRUCTURED);
    expect(answer).toMatchObject({ status: 200, body: { accepted: 1, rejected: 0 } });
    expect(await stored()).toMatchObject([{ event: 'order.paid', properties: { data_base64: 'AP8=' } }]);
  });

  it('are stored without data in binary mode, with attributes that are quoted and percent-encoded', async () => {
    await binary('', { 'ce-subject': '"a \\"b\\" %C3%A4"', 'Content-Type': '' });
    expect(await stored()).toMatchObject([{ event: 'order.paid', properties: { subject: 'a "b" ä' } }]);
  });

  it('are stored with a mark and the beginning of binary data that takes more than 64 KiB of base64', async () => {
    await binary(Buffer.alloc(100_000, 1), { 'Content-Type': 'application/octet-stream' });
    const [first] = await stored();
    expect(first?.properties).toMatchObject({ data_truncated: true });
    expect((first?.properties.data_base64 as string).length).toBe(64 * 1024);
  });

  it.each([
    ['no id', { id: undefined }, 'The CloudEvents attribute id must be text that is not empty'],
    ['an empty source', { source: '' }, 'The CloudEvents attribute source must be text that is not empty'],
    ['a type that is a number', { type: 7 }, 'The CloudEvents attribute type must be text that is not empty'],
    ['no specversion', { specversion: undefined }, 'The CloudEvents attribute specversion must be 1.0'],
    ['another specversion', { specversion: '0.3' }, 'The CloudEvents attribute specversion must be 1.0'],
    ['base64 that is none', { data_base64: 'a=b' }, 'data_base64 must be base64'],
    ['two kinds of data', { data: 1, data_base64: 'AP8=' }, 'An event has either data or data_base64'],
  ])('are refused when they have %s, and do not take their id', async (_, more, detail) => {
    expect(await send(event(more), STRUCTURED)).toMatchObject({
      status: 422,
      body: { accepted: 0, results: [{ position: 0, accepted: false, detail }], detail: ALL_REFUSED },
    });
    expect((await send(event(), STRUCTURED)).body).toMatchObject({ accepted: 1, duplicates: 0 });
  });

  it('are stored with base64 that does not decode to the JSON of their media type', async () => {
    const data_base64 = Buffer.from('not JSON').toString('base64');
    await send(event({ data_base64, datacontenttype: 'application/json' }), STRUCTURED);
    await send(event({ id: '2', data_base64: btoa('{"a":1}'), datacontenttype: 'application/json' }), STRUCTURED);
    expect((await stored()).map(({ properties }) => properties)).toMatchObject([{ data_base64 }, { a: 1 }]);
  });

  it.each([
    ['a body without attributes', '{}', { 'Content-Type': 'application/json' }, 422],
    ['data that is not the JSON which it says', '{', { ...binaryHeaders(), 'Content-Type': 'application/json' }, 422],
    ['a format that is not known', '<event/>', { 'Content-Type': 'application/cloudevents+xml' }, 415],
    ['an event that is no JSON', '{"id":', STRUCTURED, 422],
    ['a value that is no event', '7', STRUCTURED, 422],
  ])('are refused when the request has %s', async (_, body, headers, status) => {
    expect((await send(body, headers)).status).toBe(status);
    expect(await stored()).toEqual([]);
  });

  it('are refused one by one in a batch that also has valid events', async () => {
    const answer = await send([event(), 7, event({ id: '' })], BATCH);
    expect(answer).toMatchObject({
      status: 200,
      body: { accepted: 1, rejected: 2, results: [{ accepted: true }, { accepted: false }, { accepted: false }] },
    });
  });
});

function binaryHeaders(): Headers {
  return { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/shop', 'ce-type': 'order.paid' };
}
