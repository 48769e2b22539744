import { ROOT_CONTEXT, type SpanContext, TraceFlags } from '@opentelemetry/api';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { RandomIdGenerator, SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';
import { Logger } from '@nestjs/common';
import type { Tracing } from '../../config/index.js';
import { within } from '../concurrency/index.js';
import { errorMessage } from '../errors/index.js';
import { LogThrottle } from './log-throttle.js';
import type { PastSpan, Span, SpanAttributes, SpanExport, SpanStart } from './span.js';
import { type FinishedSpan, SpanBatch } from './span-batch.js';
import type { Traceparent } from './traceparent.js';

const NAME = 'operational-event-service';
const PATH = 'v1/traces';
const PROTOBUF = { 'Content-Type': 'application/x-protobuf' };
/** The time limit for sending the last spans at shutdown, in milliseconds. */
const STOP_MS = 3_000;
/** Maximum number of links in a span. A batch may have many more causes. */
const MOST_LINKS = 8;
const NO_LINKS: SpanContext[] = [];

/**
 * Exports spans over OTLP with protobuf bodies. Endpoint, headers and service name come from the environment variables
 * of OpenTelemetry. Spans wait in memory up to a limit. Further spans are dropped.
 *
 * The SDK generates ids, decides on sampling and sends batches. Its tracer and serializer are not used, because they
 * take twice as long for a span (bench/results/tracing.md).
 */
export class OtlpSpanExport implements SpanExport {
  private readonly logger = new Logger('tracing');
  private readonly failures = new LogThrottle();
  private readonly ids = new RandomIdGenerator();
  private readonly sampler: TraceIdRatioBasedSampler;
  private readonly exporter = exporterOfBatches();
  private batch = new SpanBatch();
  /** The number of spans that were passed to the exporter and have not been sent. */
  private unsent = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly config: Tracing) {
    this.sampler = new TraceIdRatioBasedSampler(config.sampling.ratio);
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
      end: ({ name = start.name, attributes = [], failure } = {}) =>
        this.add(context, {
          kind: start.kind,
          name,
          parent,
          startMs,
          seconds: (performance.now() - startedAt) / 1_000,
          attributes: [start.attributes, ...attributes],
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
    this.add(context, {
      kind,
      name,
      parent,
      startMs: Date.now() - seconds * 1_000,
      seconds,
      attributes: [attributes],
      failure,
      links: links.slice(0, MOST_LINKS).map(spanContextOf),
      droppedLinks: Math.max(0, links.length - MOST_LINKS),
    });
  }

  /** Returns the context of a new span, in the trace of the parent or in a new trace. */
  private contextBelow(parent: SpanContext | undefined): SpanContext {
    const { followsParent } = this.config.sampling;
    const traceId = parent?.traceId ?? this.ids.generateTraceId();
    const sampled = parent !== undefined && followsParent ? isSampled(parent) : this.samples(traceId);
    return {
      traceId,
      spanId: this.ids.generateSpanId(),
      traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    };
  }

  private samples(traceId: string): boolean {
    if (this.config.sampling.ratio === 1) return true;
    return this.sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  private add(context: SpanContext, span: FinishedSpan): void {
    const { maxQueued, batchSize, delayMs } = this.config.batches;
    if (this.unsent + this.batch.count >= maxQueued) return;
    this.batch.add(context, span);
    if (this.batch.count >= batchSize) this.send();
    else this.timer ??= setTimeout(() => this.send(), delayMs).unref();
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { batch } = this;
    const { count } = batch;
    if (count === 0) return;
    this.batch = new SpanBatch();
    this.unsent += count;
    this.exporter.export(batch, ({ error }) => {
      this.unsent -= count;
      if (error !== undefined) this.warnOf(error);
    });
  }

  /** Logs failures of the export, such as an endpoint that does not answer, at most once a minute. */
  private warnOf(error: Error): void {
    this.failures.happened('export', (times) =>
      this.logger.warn(
        `spans were not exported, ${times} times since the last such line: ${error.message.slice(0, 500)}`,
      ),
    );
  }

  async stop(): Promise<void> {
    this.send();
    const late = (): Error => new Error(`the endpoint did not answer within ${STOP_MS} ms`);
    try {
      await within(STOP_MS, this.exporter.shutdown(), late);
    } catch (error) {
      this.logger.warn(`the last spans were not exported: ${errorMessage(error)}`);
    }
  }
}

/**
 * Returns the SDK's exporter for batches that are already serialized. It retries failed requests and limits their time.
 */
function exporterOfBatches(): OTLPExporterBase<SpanBatch> {
  const resource = resourceAttributes();
  // oxlint-disable-next-line typescript/no-deprecated -- no other function reads the variables of OpenTelemetry
  const options = convertLegacyHttpOptions({}, 'TRACES', PATH, PROTOBUF);
  const serializer = {
    serializeRequest: (batch: SpanBatch) => batch.finish(resource, NAME),
    deserializeResponse: (body: Uint8Array) => ProtobufTraceSerializer.deserializeResponse(body),
  };
  const metrics = { name: 'span' as const, countItems: (batch: SpanBatch) => batch.count };
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, serializer, 'otlp_http_span_exporter', metrics, undefined),
  );
}

function resourceAttributes(): SpanAttributes {
  const { attributes } = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': NAME }))
    .merge(detectResources({ detectors: [envDetector] }));
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
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
