import type { Tracing } from '../../config/index.js';
import { currentContext, runInContext } from './request-context.js';
import type { PastSpan, Span, SpanExport, SpanStart } from './span.js';

/** Undefined while tracing is off. Checking this variable is then the only cost of tracing. */
let running: SpanExport | undefined;

/**
 * Starts the export of spans for all applications of this process. The OpenTelemetry SDK is loaded only here, and reads
 * its other variables (`OTEL_…`) itself.
 */
export async function startTracing(config: Tracing): Promise<void> {
  if (running !== undefined) return;
  const { OtlpSpanExport } = await import('./otlp-span-export.js');
  running = new OtlpSpanExport(config);
}

/** Sends the last spans and ends the export. Never rejects. */
export async function stopTracing(): Promise<void> {
  const stopping = running;
  running = undefined;
  await stopping?.stop();
}

export function isTracing(): boolean {
  return running !== undefined;
}

/** Returns undefined while tracing is off. */
export function startSpan(span: SpanStart): Span | undefined {
  return running?.start(span);
}

/** Records an operation that has ended now. Does nothing while tracing is off. */
export function recordSpan(span: PastSpan): void {
  running?.record(span);
}

/**
 * Runs background work in the trace of the request that caused it. Log lines then contain the trace, and requests to
 * receivers pass it on. While tracing is on, the work is a span.
 */
export async function traced<T>(start: SpanStart, work: () => Promise<T>): Promise<T> {
  const span = startSpan(start);
  const traceparent = span?.traceparent ?? start.parent;
  // Without a traceparent, the work gets no context, so that a loop that a request has started does not pass that
  // request's trace to other work.
  if (traceparent === undefined && currentContext() === undefined) return work();
  return runInContext({ cameAt: performance.now(), traceparent }, async (leave) => {
    try {
      const result = await work();
      span?.end();
      return result;
    } catch (error) {
      span?.end({ failure: 'failed' });
      throw error;
    } finally {
      leave();
    }
  });
}
