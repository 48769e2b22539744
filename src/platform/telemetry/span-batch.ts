import { type SpanContext, SpanKind as SdkKind, SpanStatusCode } from '@opentelemetry/api';
import { ProtobufWriter } from './protobuf-writer.js';
import type { SpanAttributes, SpanKind } from './span.js';

/** An operation that has ended. */
export interface FinishedSpan {
  readonly kind: SpanKind;
  readonly name: string;
  readonly parent: SpanContext | undefined;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly seconds: number;
  readonly attributes: readonly (SpanAttributes | undefined)[];
  readonly failure: string | undefined;
  readonly links: readonly SpanContext[];
  readonly droppedLinks: number;
}

/** The values of span kinds in OTLP. They are larger by one than in the SDK, because 0 means that no kind is set. */
const KINDS: Readonly<Record<SpanKind, number>> = {
  server: SdkKind.SERVER + 1,
  client: SdkKind.CLIENT + 1,
  consumer: SdkKind.CONSUMER + 1,
};

/** Tags of the used fields, from the definitions of OTLP. Integers are varints, and times are 64-bit fields. */
const REQUEST = { resourceSpans: 0x0a } as const;
const RESOURCE_SPANS = { resource: 0x0a, scopeSpans: 0x12 } as const;
const RESOURCE = { attributes: 0x0a } as const;
const SCOPE_SPANS = { scope: 0x0a, spans: 0x12 } as const;
const SCOPE = { name: 0x0a } as const;
const SPAN = {
  traceId: 0x0a,
  spanId: 0x12,
  parentSpanId: 0x22,
  name: 0x2a,
  kind: 0x30,
  startTime: 0x39,
  endTime: 0x41,
  attributes: 0x4a,
  links: 0x6a,
  droppedLinks: 0x70,
  status: 0x7a,
} as const;
const LINK = { traceId: 0x0a, spanId: 0x12 } as const;
const STATUS = { message: 0x12, code: 0x18 } as const;
const KEY_VALUE = { key: 0x0a, value: 0x12 } as const;
const VALUE = { text: 0x0a, integer: 0x18, double: 0x21 } as const;

/**
 * Finished spans as the body of one OTLP request. Each span is serialized when it ends, so that its objects are not
 * kept until the batch is sent.
 */
export class SpanBatch {
  private readonly writer = new ProtobufWriter();
  private spans = 0;

  get count(): number {
    return this.spans;
  }

  add({ traceId, spanId }: SpanContext, span: FinishedSpan): void {
    const { writer } = this;
    const end = writer.size;
    if (span.failure !== undefined) this.addStatus(span.failure);
    if (span.droppedLinks > 0) writer.varint(SPAN.droppedLinks, span.droppedLinks);
    for (const link of span.links) this.addLink(link);
    for (const attributes of span.attributes) this.addAttributes(SPAN.attributes, attributes);
    writer.time(SPAN.endTime, span.startMs + span.seconds * 1_000);
    writer.time(SPAN.startTime, span.startMs);
    writer.varint(SPAN.kind, KINDS[span.kind]);
    writer.text(SPAN.name, span.name);
    if (span.parent !== undefined) writer.hex(SPAN.parentSpanId, span.parent.spanId);
    writer.hex(SPAN.spanId, spanId);
    writer.hex(SPAN.traceId, traceId);
    writer.message(SCOPE_SPANS.spans, end);
    this.spans += 1;
  }

  /** Returns the body of the request. No span may be added afterwards. */
  finish(resource: SpanAttributes, scope: string): Uint8Array {
    const { writer } = this;
    const scopeEnd = writer.size;
    writer.text(SCOPE.name, scope);
    writer.message(SCOPE_SPANS.scope, scopeEnd);
    writer.message(RESOURCE_SPANS.scopeSpans, 0);
    const resourceEnd = writer.size;
    this.addAttributes(RESOURCE.attributes, resource);
    writer.message(RESOURCE_SPANS.resource, resourceEnd);
    writer.message(REQUEST.resourceSpans, 0);
    return writer.written();
  }

  private addAttributes(tag: number, attributes: SpanAttributes | undefined): void {
    for (const key in attributes) {
      const value = attributes[key];
      if (value !== undefined) this.addAttribute(tag, key, value);
    }
  }

  private addAttribute(tag: number, key: string, value: string | number): void {
    const { writer } = this;
    const end = writer.size;
    if (typeof value === 'string') writer.text(VALUE.text, value);
    else if (Number.isSafeInteger(value) && value >= 0) writer.varint(VALUE.integer, value);
    else writer.double(VALUE.double, value);
    writer.message(KEY_VALUE.value, end);
    writer.text(KEY_VALUE.key, key);
    writer.message(tag, end);
  }

  private addLink({ traceId, spanId }: SpanContext): void {
    const { writer } = this;
    const end = writer.size;
    writer.hex(LINK.spanId, spanId);
    writer.hex(LINK.traceId, traceId);
    writer.message(SPAN.links, end);
  }

  private addStatus(failure: string): void {
    const { writer } = this;
    const end = writer.size;
    writer.varint(STATUS.code, SpanStatusCode.ERROR);
    writer.text(STATUS.message, failure);
    writer.message(SPAN.status, end);
  }
}
