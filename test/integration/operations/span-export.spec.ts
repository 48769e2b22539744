import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ReceivedSpan, receiveSpans, type SpanReceiver } from '../../support/span-receiver.js';
import type { TraceSampling } from '../../../src/config/index.js';
import { OtlpSpanExport } from '../../../src/platform/telemetry/otlp-span-export.js';
import { type Traceparent, traceIdOf } from '../../../src/platform/telemetry/traceparent.js';

const SAMPLED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' as Traceparent;
const UNSAMPLED = '00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' as Traceparent;

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

  async function exported(sampling: TraceSampling, work: (spans: OtlpSpanExport) => void): Promise<ReceivedSpan[]> {
    const from = receiver.spans.length;
    const spans = new OtlpSpanExport(sampling);
    work(spans);
    await spans.stop();
    return receiver.spans.slice(from);
  }

  it('has name, parent, attributes, links and the times of a span', async () => {
    const started = Date.now();
    const [statement, request] = await exported({ ratio: 1, followsParent: true }, (spans) => {
      const span = spans.start({ kind: 'server', name: 'GET', parent: SAMPLED, attributes: { a: 1 } });
      spans.record({ kind: 'client', name: 'SELECT', parent: span.traceparent, seconds: 0.25, links: [UNSAMPLED] });
      span.end({ name: 'GET /v1/me', attributes: { b: 'two', c: undefined }, failure: 'server error' });
    });
    expect(request).toMatchObject({
      name: 'GET /v1/me',
      traceId: traceIdOf(SAMPLED),
      parentSpanId: SAMPLED.slice(36, 52),
      attributes: { a: 1, b: 'two' },
      failure: 'server error',
    });
    expect(Object.keys(request!.attributes)).toEqual(['a', 'b']);
    expect(statement).toMatchObject({
      name: 'SELECT',
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
    expect(names.map(({ name }) => name)).toEqual(['below sampled', 'sampled']);
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
});
