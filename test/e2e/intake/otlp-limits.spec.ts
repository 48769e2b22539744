import { beforeEach, describe, expect, it } from '@jest/globals';
import { intake, type IntakeEvent } from '../../support/intake-api.js';
import { JSON_TYPE, logsWith, type OtlpAnswer, otlpBody, PROTOBUF, type Signal, sendOtlp } from '../../support/otlp.js';
import { api, type Tenant, tenant } from '../../support/service.js';
import { ingestionDatabase } from '../../support/sql-builders/ingestion.js';
import { utcDay } from '../../support/utc-day.js';

const MIB = 1024 * 1024;
const TYPES = [[PROTOBUF], [JSON_TYPE]] as const;
const EVENTS_OF_FREE_SOURCE = 10_000;
/** A record that is refused because its event would be too large. */
const TOO_LARGE = { attributes: [pair('large', text('x'.repeat(2 * MIB)))] };

let acme: Tenant;

beforeEach(async () => {
  acme = await tenant();
});

const sendBytes = (signal: Signal, bytes: Buffer | string, type: string): Promise<OtlpAnswer> =>
  sendOtlp(signal, bytes, { 'x-api-key': acme.key.apiKey, 'Content-Type': type });
const send = (signal: Signal, request: object, type: string): Promise<OtlpAnswer> =>
  sendBytes(signal, otlpBody(signal, request, type), type);
const stored = (): Promise<IntakeEvent[]> => intake.events(acme);

/** Reads events that do not fit into one page, in the order of their arrival. */
async function storedInPages(): Promise<IntakeEvent[]> {
  const events: IntakeEvent[] = [];
  let before: string | null = null;
  do {
    const query: Record<string, string> = { project_id: acme.projectId, ...(before === null ? {} : { before }) };
    const { body } = await api.as(acme.owner).get('/v1/events', query).expect(200);
    const page = body as { items: IntakeEvent[]; next_before: string | null };
    events.push(...page.items);
    before = page.next_before;
  } while (typeof before === 'string');
  return events.reverse();
}

function text(stringValue: string): object {
  return { stringValue };
}

function pair(key: string, value: object): object {
  return { key, value };
}

function integers(count: number): object[] {
  return Array.from({ length: count }, () => ({ intValue: '7' }));
}

function logs(logRecords: object[], attributes: object[] = []): object {
  return { resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords }] }] };
}

/** Returns the JSON of a request with one record, of which a member is given as it is written. */
function jsonLog(members: string): string {
  return `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{${members}}]}]}]}`;
}

describe('an OTLP event', () => {
  it.each(TYPES)('has names and texts that are cut with an ellipsis, from %s', async (type) => {
    const resource = [
      pair('service.name', text('s'.repeat(201))),
      pair('deployment.environment.name', text('e'.repeat(101))),
    ];
    const record = { eventName: 'n'.repeat(201), severityText: 'v'.repeat(51), body: text('b'.repeat(2_001)) };
    expect((await send('logs', logs([record], resource), type)).status).toBe(200);
    expect(await stored()).toMatchObject([
      {
        event: `${'n'.repeat(199)}…`,
        source: `${'s'.repeat(199)}…`,
        environment: `${'e'.repeat(99)}…`,
        severity: `${'v'.repeat(49)}…`,
        message: `${'b'.repeat(1_999)}…`,
        properties: { message_full: 'b'.repeat(2_001) },
      },
    ]);
  });

  it.each(TYPES)('has a span name that is cut with an ellipsis, also in its exceptions, from %s', async (type) => {
    const name = '😀'.repeat(2_001);
    const spans = [{ name, kind: 2, events: [{ name: 'exception' }, { name: 'exception' }] }];
    expect((await send('traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] }, type)).status).toBe(200);
    const exception = { event: 'exception', properties: { span_name: `${'😀'.repeat(199)}…` } };
    expect(await stored()).toMatchObject([
      { event: 'http.request', message: `${'😀'.repeat(1_999)}…`, properties: { message_full: name } },
      exception,
      exception,
    ]);
  });

  it('has its resource once, or a mark where the events of a request would repeat more than 8 MiB', async () => {
    const records = Array.from({ length: 6 }, (_, number) => ({ body: text(String(number)) }));
    const resource = [pair('note', text('x'.repeat(1.7 * MIB)))];
    expect(await send('logs', logs(records, resource), PROTOBUF)).toMatchObject({ status: 200, body: {} });
    const events = await storedInPages();
    expect(events.map(({ message }) => message)).toEqual(['0', '1', '2', '3', '4', '5']);
    const copies = events.map((event) => JSON.stringify(event).match(/x{1000,}/g)?.length ?? 0);
    expect(copies).toEqual([1, 1, 1, 1, 0, 0]);
    for (const { properties } of events.slice(4)) {
      expect(properties).toMatchObject({ resource_left_out: true });
      expect(properties).not.toHaveProperty('resource');
    }
  });

  it.each(TYPES)('has at most 10,000 values in lists and maps, and the number of the others, from %s', async (type) => {
    const numbers = integers(6_000);
    const attributes = [
      pair('list', { arrayValue: { values: numbers } }),
      pair('map', { kvlistValue: { values: [pair('inner', { arrayValue: { values: numbers } }), pair('late', {})] } }),
    ];
    expect((await send('logs', logs([{ attributes }]), type)).status).toBe(200);
    const [event] = await stored();
    const {
      list,
      map,
      dropped_attributes_count: dropped,
    } = event?.properties as {
      list: unknown[];
      map: { inner: unknown[] };
      dropped_attributes_count: number;
    };
    expect([list.length, map.inner.length, dropped]).toEqual([6_000, 3_999, 2_002]);
    expect(map).not.toHaveProperty('late');
  });

  it.each<[string, string, unknown]>([
    ['an integer of 1,001 digits', `"intValue":${'9'.repeat(1_001)}`, 'Infinity'],
    ['a fraction of 1,001 digits', `"doubleValue":0.${'5'.repeat(1_001)}`, 5 / 9],
    ['an exponent beyond doubles', '"doubleValue":-1e999', '-Infinity'],
    ['the digits of an integer as text', `"intValue":"${'9'.repeat(1_001)}"`, '9'.repeat(1_001)],
  ])('has a value that can be stored for %s', async (_, value, expected) => {
    const json = jsonLog(`"attributes":[{"key":"n","value":{${value}}}]`);
    expect((await sendBytes('logs', json, JSON_TYPE)).status).toBe(200);
    expect(await stored()).toMatchObject([{ properties: { n: expected } }]);
  });

  it('has the time of arrival for a time of 1,001 digits', async () => {
    const json = jsonLog(`"timeUnixNano":${'9'.repeat(1_001)}`);
    expect((await sendBytes('logs', json, JSON_TYPE)).status).toBe(200);
    expect(await stored()).toMatchObject([{ properties: { timestamp_original: 'Infinity' } }]);
  });

  it('is not read from a severity of 1,001 digits', async () => {
    const json = jsonLog(`"severityNumber":${'9'.repeat(1_001)}`);
    expect(await sendBytes('logs', json, JSON_TYPE)).toMatchObject({ status: 400, body: { code: 3 } });
    expect(await stored()).toEqual([]);
  });
});

describe('an OTLP request beyond a quota', () => {
  it.each(TYPES)('is answered with 403 and a status, from %s', async (type) => {
    await ingestionDatabase.setMonthlyEvents(acme.organizationId, 0);
    const answer = await send('logs', logsWith('a', 'b'), type);
    expect(answer).toMatchObject({ status: 403, body: { code: 7, message: 'All events of the batch were refused' } });
    const { headers } = answer;
    expect([headers.get('Content-Type'), headers.get('X-Service-Block-Reason')]).toEqual([type, 'limit_exceeded']);
    expect(headers.get('Retry-After')).toBeNull();
    expect(await stored()).toEqual([]);
  });

  it.each(TYPES)('is answered with 429, a status and the end of the day, from %s', async (type) => {
    const day = await utcDay();
    const counted = { projectId: acme.projectId, sourceId: null, day, events: EVENTS_OF_FREE_SOURCE };
    await ingestionDatabase.setMonthlyEvents(acme.organizationId, 1_000_000);
    await ingestionDatabase.countEvents(counted);
    const answer = await send('logs', logsWith('a', 'b'), type);
    expect(answer).toMatchObject({ status: 429, body: { code: 8, message: 'All events of the batch were refused' } });
    expect(answer.headers.get('Content-Type')).toBe(type);
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    expect(await stored()).toEqual([]);
    await ingestionDatabase.discountEvents(acme.projectId, EVENTS_OF_FREE_SOURCE);
  });
});

describe('an OTLP request of which some records are refused', () => {
  const partialOf = ({ body }: OtlpAnswer): Record<string, unknown> => body.partialSuccess as Record<string, unknown>;
  const rejectedBy = (type: string, count: number): object =>
    type === PROTOBUF ? { rejected: count } : { rejectedLogRecords: String(count) };

  it.each(TYPES)('has its first answer when it is repeated after the quota has room again, from %s', async (type) => {
    await ingestionDatabase.setMonthlyEvents(acme.organizationId, 2);
    const request = logs([{ body: text('a') }, TOO_LARGE, { body: text('b') }, { body: text('c') }]);
    const first = await send('logs', request, type);
    expect(first.status).toBe(200);
    expect(partialOf(first)).toMatchObject(rejectedBy(type, 2));
    expect(partialOf(first).errorMessage).toBe(
      `The event takes more than ${2 * MIB} bytes. Monthly quota exceeded (events)`,
    );
    await ingestionDatabase.setMonthlyEvents(acme.organizationId, 1_000);
    const again = await send('logs', request, type);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await stored()).map(({ message }) => message)).toEqual(['a', 'b']);
  });
});
