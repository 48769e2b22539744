import type { ExactNumber } from '../../../platform/json/index.js';

/** A value of an attribute or a body, as JSON has it. Bytes are base64, and NaN and the infinities are text. */
export type OtlpValue = string | number | boolean | null | ExactNumber | OtlpValue[] | Attributes;

export type Attributes = { [name: string]: OtlpValue };

/** A list of attributes. */
export interface AttributeList {
  readonly attributes: Attributes;
  /** The number of attributes added. A repeated name counts each time. */
  count: number;
  /** The number of attributes that the sender or this service has dropped. */
  dropped: number;
  /** The number of values in lists and maps. */
  nested: number;
}

export interface Scope extends AttributeList {
  name: string;
  version: string;
}

/** The resource and the scope that several records share. */
export interface Origin {
  readonly resource: AttributeList;
  readonly scope: Scope;
}

/**
 * A point in time: a Date, undefined when the sender has set none, or the text of a value that is no time in 64 bits.
 */
export type Instant = Date | string | undefined;

/** A log record. Ids are lower-case hexadecimal digits; invalid ones are empty. */
export interface LogRecord extends AttributeList {
  time: Instant;
  observedTime: Instant;
  severityNumber: number;
  severityText: string;
  /** Undefined without a body. */
  body: OtlpValue | undefined;
  traceId: string;
  spanId: string;
  eventName: string;
}

export interface SpanEvent extends AttributeList {
  time: Instant;
  name: string;
}

export const SPAN_KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** A span. Only its events that are exceptions are kept. */
export interface Span extends AttributeList {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: SpanKind;
  start: Instant;
  /** Nanoseconds from start to end; undefined when one of them is missing or the end is before the start. */
  duration: number | undefined;
  readonly exceptions: SpanEvent[];
  isError: boolean;
  statusMessage: string;
}

/** A record with its resource and scope. */
export interface Of<Item> {
  readonly origin: Origin;
  readonly item: Item;
}

export function newAttributeList(): AttributeList {
  return { attributes: {}, count: 0, dropped: 0, nested: 0 };
}

export function newScope(): Scope {
  return { attributes: {}, count: 0, dropped: 0, nested: 0, name: '', version: '' };
}

export function newLogRecord(): LogRecord {
  return {
    attributes: {},
    count: 0,
    dropped: 0,
    nested: 0,
    time: undefined,
    observedTime: undefined,
    severityNumber: 0,
    severityText: '',
    body: undefined,
    traceId: '',
    spanId: '',
    eventName: '',
  };
}

export function newSpan(): Span {
  return {
    attributes: {},
    count: 0,
    dropped: 0,
    nested: 0,
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    kind: 'unspecified',
    start: undefined,
    duration: undefined,
    exceptions: [],
    isError: false,
    statusMessage: '',
  };
}

export function newSpanEvent(): SpanEvent {
  return { attributes: {}, count: 0, dropped: 0, nested: 0, time: undefined, name: '' };
}

export function spanKindOf(kind: number): SpanKind {
  return SPAN_KINDS[kind] ?? 'unspecified';
}
