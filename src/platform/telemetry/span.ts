import type { Traceparent } from './traceparent.js';

/** The values that a span is described by, under the names of OpenTelemetry's conventions. Never user input or secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

export type SpanKind = 'server' | 'client' | 'consumer';

export interface SpanStart {
  readonly kind: SpanKind;
  readonly name: string;
  /** Without a parent the span begins a trace. */
  readonly parent?: Traceparent | undefined;
  readonly attributes?: SpanAttributes;
}

export interface SpanEnd {
  /** A new name, when it was not known at the start. */
  readonly name?: string;
  readonly attributes?: readonly SpanAttributes[];
  /** Set when the operation failed: a short text without user input. */
  readonly failure?: string | undefined;
}

/** An operation that is being measured. */
export interface Span {
  /** The place of the operation in its trace, which is the parent of what it causes. */
  readonly traceparent: Traceparent;
  end(end?: SpanEnd): void;
}

/** An operation that has ended. */
export interface PastSpan extends SpanStart, Pick<SpanEnd, 'failure'> {
  readonly seconds: number;
  /** Other operations that caused it too. */
  readonly links?: readonly Traceparent[];
}

export interface SpanExport {
  start(span: SpanStart): Span;
  record(span: PastSpan): void;
  /** Sends the spans that wait. */
  stop(): Promise<void>;
}
