import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ReceivedSpan, receiveSpans, type SpanReceiver } from '../../support/span-receiver.js';
import { eventually } from '../../support/eventually.js';
import type { TraceSampling, Tracing } from '../../../src/config/index.js';
import { OtlpSpanExport } from '../../../src/platform/telemetry/otlp-span-export.js';
import { type Traceparent, traceIdOf } from '../../../src/platform/telemetry/traceparent.js';

const SAMPLED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' as Traceparent;
const UNSAMPLED = '00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' as Traceparent;
const ALL = { ratio: 1, followsParent: true };
const BATCHES = { delayMs: 5_000, batchSize: 512, maxQueued: 2_048 };

describe('The export of spans', () => {
  let receiver: SpanReceiver;
  const before = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;

  beforeAll(async () => {
    receiver = await receiveSpans();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url;
  });
  afterAll(async () => {
    if (before === undefined) delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    else process.env.OTEL_EXPORTER_OTLP_ENDPOINT = before;
    await receiver.close();
  });

  async function exported(
    sampling: TraceSampling,
    work: (spans: OtlpSpanExport) => void,
    batches: Tracing['batches'] = BATCHES,
  ): Promise<ReceivedSpan[]> {
    const from = receiver.spans.length;
    const spans = new OtlpSpanExport({ sampling, batches });
    work(spans);
    await spans.stop();
    return receiver.spans.slice(from);
  }

  it('has name, parent, attributes, links and the times of a span', async () => {
    const started = Date.now();
    const spans = await exported(ALL, (all) => {
      const span = all.start({ kind: 'server', name: 'GET', parent: SAMPLED, attributes: { a: 1 } });
      all.record({ kind: 'client', name: 'SELECT', parent: span.traceparent, seconds: 0.25, links: [UNSAMPLED] });
      span.end({ name: 'GET /v1/me', attributes: [{ b: 'two' }, { c: undefined }], failure: 'server error' });
    });
    const [request, statement] = ['GET /v1/me', 'SELECT'].map((name) => spans.find((span) => span.name === name));
    expect(request).toMatchObject({
      traceId: traceIdOf(SAMPLED),
      parentSpanId: SAMPLED.slice(36, 52),
      attributes: { a: 1, b: 'two' },
      failure: 'server error',
    });
    expect(Object.keys(request!.attributes).sort()).toEqual(['a', 'b']);
    expect(statement).toMatchObject({
      traceId: traceIdOf(SAMPLED),
      parentSpanId: request!.spanId,
      links: [traceIdOf(UNSAMPLED)],
      failure: undefined,
    });
    expect(statement!.endedAt - statement!.startedAt).toBeCloseTo(250, 2);
    expect(statement!.startedAt).toBeGreaterThan(started - 300);
    expect(request!.startedAt).toBeGreaterThanOrEqual(started);
    expect(request!.endedAt).toBeGreaterThanOrEqual(request!.startedAt);
  });

  it('exports what a client samples, and passes its decision on', async () => {
    const passedOn: string[] = [];
    const names = await exported({ ratio: 0, followsParent: true }, (spans) => {
      for (const [name, parent] of Object.entries({ sampled: SAMPLED, unsampled: UNSAMPLED, root: undefined })) {
        const span = spans.start({ kind: 'server', name, parent });
        spans.record({ kind: 'client', name: `below ${name}`, parent: span.traceparent, seconds: 0 });
        passedOn.push(span.traceparent.slice(-2));
        span.end();
      }
    });
    expect(names.map(({ name }) => name).sort()).toEqual(['below sampled', 'sampled']);
    expect(passedOn).toEqual(['01', '00', '00']);
  });

  it('decides by the id of the trace, the same for each of its spans, when clients do not decide', async () => {
    const traces = new Set<string>();
    const spans = await exported({ ratio: 0.5, followsParent: false }, (all) => {
      for (let trace = 0; trace < 200; trace += 1) {
        const span = all.start({ kind: 'server', name: 'request' });
        traces.add(traceIdOf(span.traceparent));
        all.record({ kind: 'client', name: 'statement', parent: span.traceparent, seconds: 0 });
        span.end();
      }
    });
    expect(traces.size).toBe(200);
    const requests = spans.filter(({ name }) => name === 'request').map(({ traceId }) => traceId);
    const statements = spans.filter(({ name }) => name === 'statement').map(({ traceId }) => traceId);
    expect(requests.length).toBeGreaterThan(40);
    expect(requests.length).toBeLessThan(160);
    expect(statements.sort()).toEqual(requests.sort());
  });

  it.each<[string, string | number]>([
    ['a text of one character', 'x'],
    ['an empty text', ''],
    ['a text of 127 characters', 'n'.repeat(127)],
    ['a text of 100,000 characters', 'long '.repeat(20_000)],
    ['letters with accents', 'café à la carte'],
    ['characters of four bytes', '𐍈'.repeat(1_000)],
    ['half of a pair of surrogates, which becomes a replacement character', 'a\ud800'],
    ['zero', 0],
    ['a number of two bytes', 128],
    ['the largest exact integer', Number.MAX_SAFE_INTEGER],
    ['a negative number', -1],
    ['a fraction', 0.1],
  ])('keeps the value of an attribute that is %s', async (_, value) => {
    const [span] = await exported(ALL, (all) =>
      all.record({ kind: 'client', name: 'a', seconds: 0, attributes: { value } }),
    );
    expect(span!.attributes.value).toBe(typeof value === 'string' ? value.toWellFormed() : value);
  });

  it('sends batches of the configured size while spans end, and the rest at shutdown', async () => {
    const text = 'SELECT '.repeat(100);
    const names = Array.from({ length: 1_000 }, (_, number) => `span ${number}`);
    const requests = receiver.requests();
    const spans = await exported(ALL, (all) => {
      for (const name of names) all.record({ kind: 'client', name, seconds: 0, attributes: { text } });
    });
    expect(spans.map(({ name }) => name).sort()).toEqual(names.sort());
    expect(spans.every(({ attributes }) => attributes.text === text)).toBe(true);
    expect(receiver.requests() - requests).toBe(2);
  });

  it('sends a span that nothing follows after the configured time', async () => {
    const spans = new OtlpSpanExport({ sampling: ALL, batches: { ...BATCHES, delayMs: 10 } });
    const from = receiver.spans.length;
    spans.record({ kind: 'client', name: 'alone', seconds: 0 });
    const received = await eventually(
      () => receiver.spans.slice(from),
      ({ length }) => length > 0,
    );
    expect(received.map(({ name }) => name)).toEqual(['alone']);
    await spans.stop();
  });

  it('drops spans above the configured number, until others have been sent', async () => {
    const spans = await exported(
      ALL,
      (all) => {
        for (let number = 0; number < 100; number += 1) all.record({ kind: 'client', name: 'one', seconds: 0 });
      },
      { ...BATCHES, batchSize: 4, maxQueued: 10 },
    );
    expect(spans).toHaveLength(10);
  });
});
