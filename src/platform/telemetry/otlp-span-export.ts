import {
  diag,
  type DiagLogger,
  DiagLogLevel,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { Logger } from '@nestjs/common';
import type { TraceSampling } from '../../config/index.js';
import { within } from '../concurrency/index.js';
import { errorMessage } from '../errors/index.js';
import { FinishedSpan } from './finished-span.js';
import { LogThrottle } from './log-throttle.js';
import type { PastSpan, Span, SpanExport, SpanStart } from './span.js';
import type { Traceparent } from './traceparent.js';

const NAME = 'operational-event-service';
const SCOPE = { name: NAME };
/** The time limit for the last spans at shutdown, in milliseconds. */
const STOP_MS = 3_000;
/** The most links of a span. A batch may have many more causes. */
const MOST_LINKS = 8;
const NO_LINKS: Link[] = [];

/**
 * Exports spans by OTLP with protobuf bodies. Endpoint, headers, batches and the name of the service come from the
 * variables of OpenTelemetry. Spans wait in memory, at most 2,048 unless configured; further ones are dropped.
 *
 * The SDK's processor and exporter take finished spans. The SDK's tracer is not used, since its spans cost a request
 * twice as much (bench/results/tracing.md).
 */
export class OtlpSpanExport implements SpanExport {
  private readonly logger = new Logger('tracing');
  private readonly ids = new RandomIdGenerator();
  private readonly sampler: TraceIdRatioBasedSampler;
  private readonly processor: BatchSpanProcessor;
  private readonly resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': NAME }))
    .merge(detectResources({ detectors: [envDetector] }));

  constructor(private readonly sampling: TraceSampling) {
    diag.setLogger(this.diagnostics(), DiagLogLevel.ERROR);
    this.sampler = new TraceIdRatioBasedSampler(sampling.ratio);
    this.processor = new BatchSpanProcessor(new OTLPTraceExporter());
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

  start(start: SpanStart): Span {
    const parent = parentOf(start);
    const context = this.contextBelow(parent);
    const traceparent = traceparentOf(context);
    if (!isSampled(context)) return { traceparent, end: () => undefined };
    const startMs = Date.now();
    const startedAt = performance.now();
    return {
      traceparent,
      end: ({ name = start.name, attributes, failure } = {}) =>
        this.export(context, {
          kind: start.kind,
          name,
          parent,
          startMs,
          seconds: (performance.now() - startedAt) / 1_000,
          attributes: [start.attributes, attributes],
          failure,
          links: NO_LINKS,
          droppedLinks: 0,
        }),
    };
  }

  record({ kind, name, seconds, attributes, failure, links = [], ...start }: PastSpan): void {
    const parent = parentOf(start);
    const context = this.contextBelow(parent);
    if (!isSampled(context)) return;
    this.export(context, {
      kind,
      name,
      parent,
      startMs: Date.now() - seconds * 1_000,
      seconds,
      attributes: [attributes],
      failure,
      links: links.slice(0, MOST_LINKS).map((link) => ({ context: spanContextOf(link) })),
      droppedLinks: Math.max(0, links.length - MOST_LINKS),
    });
  }

  /** Returns a new place in the trace of the parent, or in a new trace. */
  private contextBelow(parent: SpanContext | undefined): SpanContext {
    const traceId = parent?.traceId ?? this.ids.generateTraceId();
    const sampled = parent !== undefined && this.sampling.followsParent ? isSampled(parent) : this.samples(traceId);
    return {
      traceId,
      spanId: this.ids.generateSpanId(),
      traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    };
  }

  private samples(traceId: string): boolean {
    if (this.sampling.ratio === 1) return true;
    return this.sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  private export(context: SpanContext, outcome: ConstructorParameters<typeof FinishedSpan>[3]): void {
    this.processor.onEnd(new FinishedSpan(context, this.resource, SCOPE, outcome));
  }

  async stop(): Promise<void> {
    const late = (): Error => new Error(`the endpoint did not answer within ${STOP_MS} ms`);
    try {
      await within(STOP_MS, this.processor.shutdown(), late);
    } catch (error) {
      this.logger.warn(`the last spans were not exported: ${errorMessage(error)}`);
    }
  }
}

function parentOf({ parent }: Pick<SpanStart, 'parent'>): SpanContext | undefined {
  return parent === undefined ? undefined : spanContextOf(parent);
}

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

function spanContextOf(traceparent: Traceparent): SpanContext {
  const traceFlags = Number.parseInt(traceparent.slice(53), 16) & TraceFlags.SAMPLED;
  return { traceId: traceparent.slice(3, 35), spanId: traceparent.slice(36, 52), traceFlags, isRemote: true };
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): Traceparent {
  return `00-${traceId}-${spanId}-0${traceFlags}` as Traceparent;
}
