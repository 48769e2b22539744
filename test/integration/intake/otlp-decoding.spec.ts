import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeField, encodeOtlp, otlpJson, type OtlpMessage } from '../../support/otlp-messages.js';
import { anyText, propertyRuns } from '../../support/property-runs.js';
import { DomainError } from '../../../src/platform/http/domain-error.js';
import { ExactNumber, stringifyExact } from '../../../src/platform/json/index.js';
import type { DraftOrRefusal, EventDraft } from '../../../src/modules/intake/core/index.js';
import {
  MAX_ATTRIBUTES,
  MAX_DEPTH,
  MAX_RECORDS,
  TooManyRecords,
  UndecodableBody,
} from '../../../src/modules/intake/otlp/limits.js';
import { logDrafts, traceDrafts } from '../../../src/modules/intake/otlp/otlp-drafts.js';
import { countMetricPoints, readLogRecords, readSpans } from '../../../src/modules/intake/otlp/read-records.js';
import { Redaction } from '../../../src/modules/tenancy/projects/index.js';

const REST = { rest: () => Promise.resolve() };
const NOTHING_REDACTED = new Redaction([]);
const LOGS = 'ExportLogsServiceRequest';
const TRACES = 'ExportTraceServiceRequest';
const METRICS = 'ExportMetricsServiceRequest';

const TRACE_ID = Buffer.from('5b8efff798038103d269b633813fc60c', 'hex');
const SPAN_ID = Buffer.from('eee19b7ec3c1b174', 'hex');
const PARENT_ID = Buffer.from('eee19b7ec3c1b173', 'hex');

const text = (value: string) => ({ stringValue: value });
const pair = (key: string, value: object) => ({ key, value });

async function drafts(message: OtlpMessage, bytes: Buffer, isJson: boolean): Promise<EventDraft[]> {
  const body = { bytes, isJson };
  const items: Iterable<DraftOrRefusal> =
    message === LOGS
      ? logDrafts(await readLogRecords(body, REST), NOTHING_REDACTED)
      : traceDrafts(await readSpans(body, REST), true, NOTHING_REDACTED);
  return [...items].map((item) => ('draft' in item ? item.draft : fail(item.refusal)));
}

function fail(refusal: string): never {
  throw new Error(refusal);
}

/** Returns the drafts of a request, which must be the same from protobuf and from JSON. */
async function fromBoth(message: OtlpMessage, request: object): Promise<EventDraft[]> {
  const fromProtobuf = await drafts(message, encodeOtlp(message, request), false);
  expect(await drafts(message, Buffer.from(otlpJson(request)), true)).toEqual(fromProtobuf);
  return fromProtobuf;
}

const logs = (logRecords: object[], resource?: object, scope?: object) => ({
  resourceLogs: [{ ...(resource && { resource }), scopeLogs: [{ ...(scope && { scope }), logRecords }] }],
});
const spans = (all: object[], resource?: object) => ({
  resourceSpans: [{ ...(resource && { resource }), scopeSpans: [{ spans: all }] }],
});

async function onlyLog(record: object, resource?: object, scope?: object): Promise<EventDraft> {
  const [draft] = await fromBoth(LOGS, logs([record], resource, scope));
  if (draft === undefined) throw new Error('no event');
  return draft;
}

/** Returns the event of a log record with an attribute `deep`, a list within lists. Each of both forms is checked. */
async function deepLog(levels: number): Promise<EventDraft> {
  const json = `${'{"arrayValue":{"values":['.repeat(levels)}{"stringValue":"x"}${']}}'.repeat(levels)}`;
  let value: Buffer = Buffer.from([0x0a, 1, 0x78]);
  for (let level = 0; level < levels; level += 1) value = encodeField(5, encodeField(1, value));
  const attribute = Buffer.concat([encodeField(1, Buffer.from('deep')), encodeField(2, value)]);
  const bytes = [6, 2, 2, 1].reduce((inner: Buffer, field) => encodeField(field, inner), attribute);
  const [draft, ...more] = await drafts(LOGS, bytes, false);
  const body = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"deep","value":${json}}]}]}]}]}`;
  expect(await drafts(LOGS, Buffer.from(body), true)).toEqual([draft, ...more]);
  return draft ?? fail('no event');
}

describe('an OTLP log record', () => {
  it('becomes an event with its attributes, resource, scope and ids', async () => {
    const record = {
      timeUnixNano: '1544712660300123456',
      observedTimeUnixNano: '1544712661000000000',
      severityNumber: 9,
      severityText: 'Information',
      body: text('Order placed'),
      attributes: [
        pair('order.id', text('A-1')),
        pair('count', { intValue: '42' }),
        pair('ratio', { doubleValue: 0.5 }),
        pair('paid', { boolValue: true }),
        pair('big', { intValue: '9223372036854775807' }),
        pair('tags', { arrayValue: { values: [text('a'), { intValue: '2' }] } }),
        pair('cart', { kvlistValue: { values: [pair('items', { intValue: '-3' })] } }),
        pair('empty', {}),
      ],
      droppedAttributesCount: 3,
      traceId: TRACE_ID,
      spanId: SPAN_ID,
    };
    const resource = {
      attributes: [pair('service.name', text('shop')), pair('deployment.environment.name', text('production'))],
    };
    const scope = { name: 'orders', version: '1.2', attributes: [pair('team', text('sales'))] };
    expect(await onlyLog(record, resource, scope)).toEqual({
      event_type: 'log',
      source: 'shop',
      timestamp: new Date('2018-12-13T14:51:00.300Z'),
      severity: 'information',
      message: 'Order placed',
      status: undefined,
      environment: 'production',
      properties: {
        'order.id': 'A-1',
        count: 42,
        ratio: 0.5,
        paid: true,
        big: new ExactNumber('9223372036854775807'),
        tags: ['a', 2],
        cart: { items: -3 },
        empty: null,
        trace_id: '5b8efff798038103d269b633813fc60c',
        span_id: 'eee19b7ec3c1b174',
        resource: { 'service.name': 'shop', 'deployment.environment.name': 'production' },
        scope: { name: 'orders', version: '1.2', attributes: { team: 'sales' } },
        dropped_attributes_count: 3,
      },
    });
  });

  it.each([
    ['its event name', { eventName: 'order.placed', attributes: [pair('event.name', text('other'))] }, 'order.placed'],
    ['the attribute event.name', { attributes: [pair('event.name', text('order.paid'))] }, 'order.paid'],
    ['log', {}, 'log'],
  ])('takes its type from %s', async (_, record, type) => {
    expect((await onlyLog(record)).event_type).toBe(type);
  });

  it.each<[number, string, string | undefined, string | undefined]>([
    [0, '', undefined, undefined],
    [1, '', 'trace', undefined],
    [5, '', 'debug', undefined],
    [9, '', 'info', undefined],
    [13, '', 'warning', undefined],
    [17, '', 'error', 'error'],
    [21, '', 'critical', 'error'],
    [24, '', 'critical', 'error'],
    [25, '', undefined, 'error'],
    [9, 'WARN', 'warning', undefined],
    [0, 'err', 'error', 'error'],
    [0, 'FATAL', 'critical', 'error'],
    [0, 'constructor', 'constructor', undefined],
  ])(
    'gets from the severity %d "%s" the severity %s and the status %s',
    async (severityNumber, severityText, severity, status) => {
      expect(await onlyLog({ severityNumber, severityText })).toMatchObject({ severity, status });
    },
  );

  it.each<[string, object, unknown]>([
    ['text', text('hello'), 'hello'],
    ['empty text', text(''), ''],
    ['a number', { intValue: '7' }, '7'],
    ['a map', { kvlistValue: { values: [pair('a', { boolValue: false })] } }, '{"a":false}'],
    ['a long integer', { arrayValue: { values: [{ intValue: '-9223372036854775808' }] } }, '[-9223372036854775808]'],
    ['nothing', {}, undefined],
  ])('gets from a body that is %s the message %j', async (_, body, message) => {
    expect((await onlyLog({ body })).message).toBe(message);
  });

  it.each<[string, object, unknown]>([
    ['timeUnixNano', { timeUnixNano: '1700000000123999999' }, new Date(1_700_000_000_123)],
    [
      'observedTimeUnixNano when timeUnixNano is 0',
      { timeUnixNano: '0', observedTimeUnixNano: '1700000000000000001' },
      new Date(1_700_000_000_000),
    ],
    ['no time when both are 0', { timeUnixNano: '0' }, undefined],
    ['the last time of 64 bits', { timeUnixNano: '18446744073709551615' }, new Date(18_446_744_073_709)],
    ['a time of less than a millisecond', { timeUnixNano: '999999' }, new Date(0)],
  ])('has %s as its time', async (_, record, timestamp) => {
    expect((await onlyLog(record)).timestamp).toEqual(timestamp);
  });

  it.each([
    ['the conventions of today', 'http.request.method', 'url.path', 'http.response.status_code'],
    ['the older conventions', 'http.method', 'http.target', 'http.status_code'],
  ])('has method, path, route and status from attributes of %s', async (_, method, path, status) => {
    const attributes = [
      pair(method, text('GET')),
      pair(path, text('/orders/7')),
      pair('http.route', text('/orders/:id')),
      pair(status, { intValue: '503' }),
    ];
    const { properties } = await onlyLog({ attributes });
    expect(properties).toMatchObject({ method: 'GET', path: '/orders/7', route: '/orders/:id', status_code: 503 });
    expect(properties).toMatchObject({ [method]: 'GET', [path]: '/orders/7', [status]: 503 });
  });

  it('keeps attributes whose names the event needs itself', async () => {
    const attributes = [
      pair('source', text('stdin')),
      pair('severity', text('low')),
      pair('resource', text('cpu')),
      pair('environment', text('blue')),
      pair('__proto__', text('plain')),
    ];
    const resource = { attributes: [pair('service.name', text('shop'))] };
    const { properties } = await onlyLog({ severityText: 'info', attributes }, resource);
    expect(properties.attributes).toEqual({ source: 'stdin', severity: 'low', resource: 'cpu' });
    expect(properties.environment).toBe('blue');
    expect(Object.getOwnPropertyDescriptor(properties, '__proto__')?.value).toBe('plain');
  });

  it.each<[string, Buffer, Buffer]>([
    ['of another length', Buffer.from('abcd', 'hex'), Buffer.from('00', 'hex')],
    ['of zeroes', Buffer.alloc(16), Buffer.alloc(8)],
  ])('leaves out ids %s', async (_, traceId, spanId) => {
    expect((await onlyLog({ traceId, spanId })).properties).toEqual({});
  });

  it('loses attributes, members of maps and levels beyond the limits, and is marked', async () => {
    const count = MAX_ATTRIBUTES + 5;
    const pairs = Array.from({ length: count }, (_, index) => pair(`a${index}`, { intValue: '1' }));
    const { properties } = await onlyLog({ attributes: pairs });
    expect(Object.keys(properties)).toHaveLength(MAX_ATTRIBUTES + 1);
    expect(properties.dropped_attributes_count).toBe(5);
    const inMap = await onlyLog({ attributes: [pair('map', { kvlistValue: { values: pairs } })] });
    expect(Object.keys(inMap.properties.map as object)).toHaveLength(MAX_ATTRIBUTES);
    expect(inMap.properties.dropped_attributes_count).toBe(5);
    const nested = stringifyExact((await deepLog(MAX_DEPTH + 10)).properties);
    expect(nested).toBe(`{"deep":${'['.repeat(MAX_DEPTH)}"…"${']'.repeat(MAX_DEPTH)}}`);
  });

  it('does not repeat a large resource in more events than fit into memory', async () => {
    const resource = { attributes: [pair('note', text('x'.repeat(1024 * 1024)))] };
    const events = await fromBoth(
      LOGS,
      logs(
        Array.from({ length: 40 }, () => ({})),
        resource,
      ),
    );
    expect(events.filter(({ properties }) => properties.resource !== undefined)).toHaveLength(7);
    expect(events[39]?.properties).toEqual({ resource_left_out: true });
  });
});

describe('an OTLP span', () => {
  const base = {
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    parentSpanId: PARENT_ID,
    startTimeUnixNano: '1700000000000000000',
    endTimeUnixNano: '1700000000012345678',
  };

  it('becomes a request when its kind is server, and its exceptions become events', async () => {
    const attributes = [
      pair('http.request.method', text('POST')),
      pair('url.path', text('/orders')),
      pair('http.route', text('/orders')),
      pair('http.response.status_code', { intValue: '500' }),
    ];
    const events = [
      { name: 'cache.miss' },
      {
        name: 'exception',
        timeUnixNano: '1700000000005000000',
        attributes: [
          pair('exception.type', text('TypeError')),
          pair('exception.message', text('x is undefined')),
          pair('exception.stacktrace', text('at main')),
        ],
      },
    ];
    const status = { code: 2, message: 'failed' };
    const [request, exception, ...more] = await fromBoth(
      TRACES,
      spans([{ ...base, name: 'POST /orders', kind: 2, attributes, events, status }]),
    );
    const ids = { trace_id: TRACE_ID.toString('hex'), span_id: SPAN_ID.toString('hex') };
    expect(more).toEqual([]);
    expect(request).toMatchObject({
      event_type: 'http.request',
      source: 'otlp',
      message: 'POST /orders',
      timestamp: new Date(1_700_000_000_000),
      status: 'error',
      severity: 'error',
      properties: {
        ...ids,
        parent_span_id: PARENT_ID.toString('hex'),
        method: 'POST',
        path: '/orders',
        route: '/orders',
        status_code: 500,
        latency_ms: 12.346,
        status_message: 'failed',
      },
    });
    expect(exception).toMatchObject({
      event_type: 'exception',
      message: 'TypeError: x is undefined',
      timestamp: new Date(1_700_000_000_005),
      status: 'error',
      properties: { ...ids, span_name: 'POST /orders', 'exception.stacktrace': 'at main' },
    });
  });

  it.each<[string, object, object]>([
    ['consumer', { kind: 5, name: 'orders process' }, { event_type: 'messaging.process' }],
    ['server with rpc.system', { kind: 2, attributes: [pair('rpc.system', text('grpc'))] }, { event_type: 'rpc' }],
    ['client', { kind: 3, name: 'GET' }, { event_type: 'span', properties: { span_kind: 'client' } }],
    ['an unknown number', { kind: 99 }, { event_type: 'span', properties: { span_kind: 'unspecified' } }],
  ])('has a type of its own when its kind is %s', async (_, span, expected) => {
    expect(await fromBoth(TRACES, spans([{ ...base, ...span }]))).toMatchObject([expected]);
  });

  it.each<[string, object]>([
    ['that ends before it starts', { endTimeUnixNano: '1600000000000000000' }],
    ['without an end', { endTimeUnixNano: '0' }],
    ['without a start', { startTimeUnixNano: '0' }],
  ])('has no latency when it is one %s', async (_, times) => {
    const [event] = await fromBoth(TRACES, spans([{ ...base, kind: 2, ...times }]));
    expect(event?.properties).not.toHaveProperty('latency_ms');
  });

  it('has no event when its kind is client, and keeps its exceptions', async () => {
    const span = { ...base, kind: 3, name: 'GET', events: [{ name: 'exception' }] };
    const records = await readSpans({ bytes: encodeOtlp(TRACES, spans([span])), isJson: false }, REST);
    expect([...traceDrafts(records, false, NOTHING_REDACTED)]).toMatchObject([
      { draft: { event_type: 'exception', message: 'exception' } },
    ]);
  });
});

describe('an OTLP request', () => {
  it('is refused when it has more than 10,000 records', async () => {
    const records = Array.from({ length: MAX_RECORDS + 1 }, () => ({}));
    expect(await drafts(LOGS, encodeOtlp(LOGS, logs(records.slice(1))), false)).toHaveLength(MAX_RECORDS);
    await expect(drafts(LOGS, encodeOtlp(LOGS, logs(records)), false)).rejects.toThrow(TooManyRecords);
    const events = records.slice(1).map(() => ({ name: 'exception' }));
    await expect(drafts(TRACES, encodeOtlp(TRACES, spans([{ events }])), false)).rejects.toThrow(TooManyRecords);
  });

  it('may have its resource and scope after its records', async () => {
    const record = Buffer.from([0x12, 0x00]);
    const scope = Buffer.from([0x0a, 0x03, 0x0a, 0x01, 0x73]);
    const scopeLogs = Buffer.concat([Buffer.from([0x12, record.length + scope.length]), record, scope]);
    const attribute = encodeOtlp(LOGS, logs([], { attributes: [pair('service.name', text('late'))] })).subarray(2);
    const resource = attribute.subarray(0, attribute.length - 2);
    const group = Buffer.concat([scopeLogs, resource]);
    const [draft] = await drafts(LOGS, Buffer.concat([Buffer.from([0x0a, group.length]), group]), false);
    expect(draft).toMatchObject({ source: 'late', properties: { scope: { name: 's' } } });
  });

  it.each<[string, string]>([
    ['another type for a list', '{"resourceLogs":{}}'],
    ['a record that is no object', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[1]}]}]}'],
    ['a number with all its digits as a record', '{"resourceLogs":[12345678901234567890]}'],
    ['a name that is no text', '{"resourceLogs":[{"resource":{"attributes":[{"key":1}]}}]}'],
    [
      'the name of an enumeration',
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":"SEVERITY_NUMBER_INFO"}]}]}]}',
    ],
    ['broken JSON', '{"resourceLogs":['],
    ['nothing', ''],
    ['a list', '[]'],
  ])('cannot be decoded from JSON with %s', async (_, json) => {
    await expect(drafts(LOGS, Buffer.from(json), true)).rejects.toThrow(UndecodableBody);
  });

  it.each<[string, string, object]>([
    ['a number', '1544712660300123456', { timestamp: new Date(1_544_712_660_300) }],
    ['beyond 64 bits', '"18446744073709551616"', { timestamp: '18446744073709551616' }],
    ['negative', '"-5"', { timestamp: '-5' }],
    ['no number', '"yesterday"', { timestamp: 'yesterday' }],
    ['null', 'null', { timestamp: undefined }],
  ])('may have in JSON a time that is %s', async (_, time, expected) => {
    const json = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":${time}}]}]}]}`;
    expect(await drafts(LOGS, Buffer.from(json), true)).toMatchObject([expected]);
  });

  it('ignores in JSON unknown members and names in snake case', async () => {
    const json =
      '{"resource_logs":[{}],"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severity_text":"x","new":1}]}]}]}';
    expect(await drafts(LOGS, Buffer.from(json), true)).toMatchObject([{ severity: undefined, properties: {} }]);
  });

  it.each<[string, number, string]>([
    ['NaN', Number.NaN, 'NaN'],
    ['Infinity', Number.POSITIVE_INFINITY, 'Infinity'],
    ['-Infinity', Number.NEGATIVE_INFINITY, '-Infinity'],
  ])('has the double %s as text', async (_, doubleValue, written) => {
    const request = logs([{ attributes: [pair('value', { doubleValue })] }]);
    expect(await drafts(LOGS, encodeOtlp(LOGS, request), false)).toMatchObject([{ properties: { value: written } }]);
    const json = otlpJson(logs([{ attributes: [pair('value', { doubleValue: written })] }]));
    expect(await drafts(LOGS, Buffer.from(json), true)).toMatchObject([{ properties: { value: written } }]);
  });

  it('counts the points of all kinds of metrics', async () => {
    const points = { dataPoints: [{ asDouble: 1 }, { asDouble: 2 }] };
    const kinds = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'];
    const metrics = kinds.map((kind) => ({ name: kind, [kind]: points }));
    const request = { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] };
    expect(await countMetricPoints({ bytes: encodeOtlp(METRICS, request), isJson: false }, REST)).toBe(10);
    expect(await countMetricPoints({ bytes: Buffer.from(otlpJson(request)), isJson: true }, REST)).toBe(10);
  });
});

describe('the decoding of OTLP', () => {
  // JSON has no negative zero.
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => double + 0);
  const anyValue = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant({}),
      fc.record({ stringValue: anyText() }),
      fc.record({ intValue: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) }),
      fc.record({ boolValue: fc.boolean() }),
      fc.record({ doubleValue: finite }),
      fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { maxLength: 4 }) }) }),
      fc.record({ kvlistValue: fc.record({ values: fc.array(tie('pair'), { maxLength: 4 }) }) }),
    ),
    pair: fc.record({ key: anyText(), value: tie('value') }),
  }));
  const attributes = fc.array(anyValue.pair, { maxLength: 5 });
  const nanoseconds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
  const id = (length: number) =>
    fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes));
  const record = fc.record(
    {
      timeUnixNano: nanoseconds,
      observedTimeUnixNano: nanoseconds,
      severityNumber: fc.integer({ min: 0, max: 30 }),
      severityText: fc.string(),
      body: anyValue.value,
      attributes,
      traceId: id(16),
      spanId: id(8),
      eventName: fc.string(),
    },
    { requiredKeys: [] },
  );
  const span = fc.record(
    {
      traceId: id(16),
      spanId: id(8),
      name: fc.string(),
      kind: fc.integer({ min: 0, max: 6 }),
      startTimeUnixNano: nanoseconds,
      endTimeUnixNano: nanoseconds,
      attributes,
      events: fc.array(
        fc.record({ name: fc.constantFrom('exception', 'other'), attributes, timeUnixNano: nanoseconds }),
        {
          maxLength: 3,
        },
      ),
      status: fc.record({ code: fc.integer({ min: 0, max: 3 }), message: fc.string() }),
    },
    { requiredKeys: [] },
  );
  const resource = fc.record({ attributes });
  const request = fc.oneof(
    fc.tuple(
      fc.constant(LOGS as OtlpMessage),
      fc.tuple(fc.array(record, { maxLength: 4 }), resource).map(([all, of]) => logs(all, of)),
    ),
    fc.tuple(
      fc.constant(TRACES as OtlpMessage),
      fc.tuple(fc.array(span, { maxLength: 4 }), resource).map(([all, of]) => spans(all, of)),
    ),
  );

  it('gives the same events from protobuf and from JSON', async () => {
    await fc.assert(
      fc.asyncProperty(request, async ([message, members]) => {
        await fromBoth(message, members);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  /** Every failure must be a refusal that is answered with 400 or 413. */
  async function isDecodedOrRefused(message: OtlpMessage, bytes: Buffer, isJson: boolean): Promise<void> {
    const work = message === METRICS ? countMetricPoints({ bytes, isJson }, REST) : drafts(message, bytes, isJson);
    await work.catch((error: unknown) => {
      if (!(error instanceof DomainError) || ![400, 413].includes(error.status)) throw error;
    });
  }
  const message = fc.constantFrom<OtlpMessage>(LOGS, TRACES, METRICS);

  it('refuses or decodes random bytes', async () => {
    await fc.assert(
      fc.asyncProperty(message, fc.uint8Array({ maxLength: 300 }), fc.boolean(), (of, bytes, isJson) =>
        isDecodedOrRefused(of, Buffer.from(bytes), isJson),
      ),
      { numRuns: propertyRuns(20_000) },
    );
  });

  it('refuses or decodes random JSON', async () => {
    const names = fc.constantFrom(
      ...[
        'resourceLogs',
        'scopeLogs',
        'logRecords',
        'resourceSpans',
        'scopeSpans',
        'spans',
        'events',
        'attributes',
        'key',
      ],
      ...[
        'value',
        'stringValue',
        'intValue',
        'doubleValue',
        'arrayValue',
        'kvlistValue',
        'values',
        'timeUnixNano',
        'kind',
      ],
    );
    const json = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 8 },
        fc.constantFrom<unknown>(null, 0, -1, 1e300, '', 'x', '12', true, 12345678901234567890n.toString()),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(names, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(message, json, (of, value) => isDecodedOrRefused(of, Buffer.from(JSON.stringify(value)), true)),
      { numRuns: propertyRuns(20_000) },
    );
  });

  it('refuses or decodes a request with changed, missing and repeated bytes', async () => {
    const change = fc.record({
      at: fc.nat(),
      byte: fc.nat(255),
      kind: fc.constantFrom('set', 'cut', 'drop', 'repeat'),
    });
    await fc.assert(
      fc.asyncProperty(
        request,
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async ([of, members], changes, isJson) => {
          let bytes = isJson ? Buffer.from(otlpJson(members)) : encodeOtlp(of, members);
          for (const { at, byte, kind } of changes) {
            const place = bytes.length === 0 ? 0 : at % bytes.length;
            if (kind === 'set') bytes[place] = byte;
            else if (kind === 'cut') bytes = bytes.subarray(0, place);
            else if (kind === 'drop') bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]);
            else bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place >> 1)]);
          }
          await isDecodedOrRefused(of, bytes, isJson);
        },
      ),
      { numRuns: propertyRuns(20_000) },
    );
  });
});
