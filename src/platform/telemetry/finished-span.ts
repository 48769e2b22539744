import {
  type Attributes,
  type HrTime,
  type Link,
  type SpanContext,
  SpanKind as SdkKind,
  type SpanStatus,
  SpanStatusCode,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { SpanAttributes, SpanKind } from './span.js';

const KINDS: Readonly<Record<SpanKind, SdkKind>> = {
  server: SdkKind.SERVER,
  client: SdkKind.CLIENT,
  consumer: SdkKind.CONSUMER,
};

const NO_FAILURE: SpanStatus = { code: SpanStatusCode.UNSET };

/** The members of a finished span that differ between spans. */
interface Outcome {
  readonly kind: SpanKind;
  readonly name: string;
  readonly parent: SpanContext | undefined;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly seconds: number;
  readonly attributes: readonly (SpanAttributes | undefined)[];
  readonly failure: string | undefined;
  readonly links: Link[];
  readonly droppedLinks: number;
}

/**
 * An operation that has ended, for the exporter of the SDK. It waits in memory for its batch, so it keeps little: times
 * are computed when they are read.
 */
export class FinishedSpan implements ReadableSpan {
  readonly name: string;
  readonly parentSpanContext: SpanContext | undefined;
  readonly attributes: Attributes = {};
  readonly links: Link[];
  readonly droppedLinksCount: number;
  private readonly of: SpanKind;
  private readonly startMs: number;
  private readonly seconds: number;
  private readonly failure: string | undefined;

  constructor(
    private readonly context: SpanContext,
    readonly resource: Resource,
    readonly instrumentationScope: { readonly name: string },
    { kind, name, parent, startMs, seconds, attributes, failure, links, droppedLinks }: Outcome,
  ) {
    this.of = kind;
    this.name = name;
    this.parentSpanContext = parent;
    this.startMs = startMs;
    this.seconds = seconds;
    for (const part of attributes) {
      for (const key in part) if (part[key] !== undefined) this.attributes[key] = part[key];
    }
    this.failure = failure;
    this.links = links;
    this.droppedLinksCount = droppedLinks;
  }

  spanContext(): SpanContext {
    return this.context;
  }

  get kind(): SdkKind {
    return KINDS[this.of];
  }

  get startTime(): HrTime {
    return timeOf(this.startMs);
  }

  get endTime(): HrTime {
    return timeOf(this.startMs + this.seconds * 1_000);
  }

  get duration(): HrTime {
    return timeOf(this.seconds * 1_000);
  }

  get status(): SpanStatus {
    return this.failure === undefined ? NO_FAILURE : { code: SpanStatusCode.ERROR, message: this.failure };
  }

  get ended(): true {
    return true;
  }

  get events(): [] {
    return [];
  }

  get droppedAttributesCount(): number {
    return 0;
  }

  get droppedEventsCount(): number {
    return 0;
  }
}

/** Returns the time as seconds and nanoseconds. */
function timeOf(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1_000);
  return [seconds, Math.floor((milliseconds - seconds * 1_000) * 1e6)];
}
