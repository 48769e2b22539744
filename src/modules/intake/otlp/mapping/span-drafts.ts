import type { EventDraft } from '../../core/index.js';
import type { Attributes, Of, Span, SpanEvent } from '../records.js';
import { type HttpMembers, httpMembers } from './http-members.js';
import { draftOf, environmentOf, sourceOf, textAttribute } from './members.js';
import type { SharedMembers } from './shared-members.js';

const NANOSECONDS_PER_MS = 1_000_000;
const MICROSECONDS_PER_MS = 1_000;

type RequestType = 'http.request' | 'messaging.process' | 'rpc';

/**
 * Maps a span to its events: one for a request that the service has served, and one for each exception. Spans of other
 * kinds become an event `span` only when they are asked for.
 * @param shared returns the properties of the origin for the next event
 */
export function* spanDrafts(
  { origin, item: span }: Of<Span>,
  areAllWanted: boolean,
  shared: () => SharedMembers,
): Generator<EventDraft, void> {
  const type = requestTypeOf(span);
  const common = { source: sourceOf(origin), environment: environmentOf(origin) };
  const ids = { trace_id: span.traceId, span_id: span.spanId };
  if (type !== undefined || areAllWanted) {
    const { duration } = span;
    yield draftOf(
      {
        ...common,
        event_type: type ?? 'span',
        timestamp: span.start,
        message: span.name,
        severity: span.isError ? 'error' : undefined,
        status: span.isError ? 'error' : undefined,
      },
      span,
      {
        ...requestMembers(type, span),
        latency_ms: duration === undefined ? undefined : millisecondsOf(duration),
        span_kind: span.kind,
        status_message: span.statusMessage,
        ...ids,
        parent_span_id: span.parentSpanId,
        ...shared(),
      },
    );
  }
  for (const exception of span.exceptions) {
    yield draftOf(
      {
        ...common,
        event_type: 'exception',
        timestamp: exception.time ?? span.start,
        message: exceptionMessage(exception),
        severity: 'error',
        status: 'error',
      },
      exception,
      { span_name: span.name, ...ids, ...shared() },
    );
  }
}

function requestTypeOf({ kind, attributes }: Span): RequestType | undefined {
  if (kind === 'consumer') return 'messaging.process';
  if (kind !== 'server') return undefined;
  return textAttribute(attributes, ['rpc.system', 'rpc.system.name']) === undefined ? 'http.request' : 'rpc';
}

function requestMembers(type: RequestType | undefined, { name, attributes }: Span): HttpMembers {
  switch (type) {
    case 'rpc':
      return { ...httpMembers(attributes), method: rpcSystem(attributes), route: rpcRoute(attributes) ?? name };
    case 'messaging.process':
      return {
        method: (
          textAttribute(attributes, ['messaging.operation.type', 'messaging.operation']) ?? 'process'
        ).toUpperCase(),
        route: textAttribute(attributes, ['messaging.destination.template', 'messaging.destination.name']) ?? name,
      };
    default:
      return httpMembers(attributes);
  }
}

function rpcSystem(attributes: Attributes): string {
  return (textAttribute(attributes, ['rpc.system', 'rpc.system.name']) ?? 'rpc').toUpperCase();
}

/** Returns the service and the method, as gRPC writes them in its path. */
function rpcRoute(attributes: Attributes): string | undefined {
  const service = textAttribute(attributes, ['rpc.service']);
  const method = textAttribute(attributes, ['rpc.method']);
  return service === undefined || method === undefined ? method : `/${service}/${method}`;
}

function exceptionMessage({ attributes }: SpanEvent): string {
  const type = textAttribute(attributes, ['exception.type']);
  const message = textAttribute(attributes, ['exception.message']);
  if (type === undefined || message === undefined) return message ?? type ?? 'exception';
  return `${type}: ${message}`;
}

/** Returns milliseconds with whole microseconds. */
function millisecondsOf(nanoseconds: number): number {
  return Math.round((nanoseconds / NANOSECONDS_PER_MS) * MICROSECONDS_PER_MS) / MICROSECONDS_PER_MS;
}
