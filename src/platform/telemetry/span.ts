import type { Traceparent } from './traceparent.js';

/**
 * The attributes of a span, with names from the OpenTelemetry conventions. They must not contain user input or secrets.
 */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

export type SpanKind = 'server' | 'client' | 'consumer';

export interface SpanStart {
  readonly kind: SpanKind;
  readonly name: string;
  /** A span without a parent starts a new trace. */
  readonly parent?: Traceparent | undefined;
  readonly attributes?: SpanAttributes;
}

export interface SpanEnd {
  /** The final name, when it was not known at the start. */
  readonly name?: string;
  readonly attributes?: readonly SpanAttributes[];
  /** A short text without user input. Set when the operation failed. */
  readonly failure?: string | undefined;
}

/** An operation that is being measured. */
export interface Span {
  /** The position of the span in its trace. Operations that the span causes use it as their parent. */
  readonly traceparent: Traceparent;
  end(end?: SpanEnd): void;
}

/** An operation that has already ended. */
export interface PastSpan extends SpanStart, Pick<SpanEnd, 'failure'> {
  readonly seconds: number;
  /** Further operations that caused this one. */
  readonly links?: readonly Traceparent[];
}

export interface SpanExport {
  start(span: SpanStart): Span;
  record(span: PastSpan): void;
  /** Sends the waiting spans and ends the export. */
  stop(): Promise<void>;
}
