import {
  type Context,
  diag,
  type DiagLogger,
  DiagLogLevel,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind as SdkKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Logger } from '@nestjs/common';
import { errorMessage } from '../errors/index.js';
import { LogThrottle } from './log-throttle.js';
import type { PastSpan, Span, SpanEnd, SpanExport, SpanKind, SpanStart } from './span.js';
import type { Traceparent } from './traceparent.js';

const KINDS: Readonly<Record<SpanKind, SdkKind>> = {
  server: SdkKind.SERVER,
  client: SdkKind.CLIENT,
  consumer: SdkKind.CONSUMER,
};

/** The time limit for the last spans at shutdown, in milliseconds. */
const STOP_MS = 3_000;
/** The most links of a span. A batch may have many more causes. */
const MOST_LINKS = 32;

/**
 * Exports spans by OTLP with protobuf bodies. Endpoint, headers, sampling, batches and the name of the service come from
 * the variables of OpenTelemetry. Spans wait in memory, at most 2,048 unless configured; further ones are dropped.
 */
export class OtlpSpanExport implements SpanExport {
  private readonly logger = new Logger('tracing');
  private readonly provider: BasicTracerProvider;
  private readonly tracer: Tracer;

  constructor() {
    diag.setLogger(this.diagnostics(), DiagLogLevel.ERROR);
    const resource = defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'operational-event-service' }))
      .merge(detectResources({ detectors: [envDetector] }));
    this.provider = new BasicTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    });
    this.tracer = this.provider.getTracer('operational-event-service');
  }

  /** Faults of the export, such as an endpoint that does not answer, are logged once a minute. */
  private diagnostics(): DiagLogger {
    const ignore = (): void => undefined;
    const seldom = new LogThrottle();
    const error = (message: string): void =>
      seldom.happened('export', (times) =>
        this.logger.warn(`spans were not exported, ${times} times since the last such line: ${message.slice(0, 500)}`),
      );
    return { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
  }

  start({ kind, name, parent, attributes }: SpanStart): Span {
    const span = this.tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, contextOf(parent));
    return { traceparent: traceparentOf(span.spanContext()), end: (end = {}) => endSpan(span, end) };
  }

  record({ kind, name, parent, attributes, seconds, failure, links = [] }: PastSpan): void {
    const span = this.tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        attributes: { ...attributes },
        startTime: Date.now() - seconds * 1_000,
        links: links.slice(0, MOST_LINKS).map((link) => ({ context: spanContextOf(link) })),
      },
      contextOf(parent),
    );
    endSpan(span, { failure });
  }

  async stop(): Promise<void> {
    try {
      await this.provider.forceFlush({ timeoutMillis: STOP_MS });
      await this.provider.shutdown();
    } catch (error) {
      this.logger.warn(`the last spans were not exported: ${errorMessage(error)}`);
    }
  }
}

function endSpan(span: SdkSpan, { name, attributes, failure }: SpanEnd): void {
  if (name !== undefined) span.updateName(name);
  if (attributes !== undefined) span.setAttributes({ ...attributes });
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end();
}

function contextOf(parent: Traceparent | undefined): Context {
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));
}

function spanContextOf(traceparent: Traceparent): SpanContext {
  const [, traceId, spanId, flags] = traceparent.split('-');
  if (traceId === undefined || spanId === undefined || flags === undefined) return INVALID_SPAN_CONTEXT;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): Traceparent {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` as Traceparent;
}
