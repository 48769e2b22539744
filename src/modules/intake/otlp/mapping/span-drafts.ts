import { cutText, type EventDraft } from '../../core/index.js';
import type { Attributes, Of, Span, SpanEvent } from '../records.js';
import { EventProperties } from './event-properties.js';
import { addHttp } from './http-members.js';
import { environmentOf, sourceOf, textAttribute } from './members.js';
import { addShared, type SharedMembers } from './shared-members.js';

const NANOSECONDS_PER_MS = 1_000_000;
const MICROSECONDS_PER_MS = 1_000;
/**
 * A longer span name is cut in the events of exceptions. Each exception repeats the name, so that otherwise a small
 * request could become gigabytes.
 */
const MAX_SPAN_NAME = 200;

type RequestType = 'http.request' | 'messaging.process' | 'rpc';

/**
 * Maps a span to its events: one for a request that the service has served, and one for each exception. A span of
 * another kind becomes an event `span` only with `areAllWanted`.
 * @param shared returns the properties of the origin for the next event
 */
export function* spanDrafts(
  { origin, item: span }: Of<Span>,
  areAllWanted: boolean,
  shared: () => SharedMembers,
): Generator<EventDraft, void> {
  const type = requestTypeOf(span);
  if (type !== undefined || areAllWanted) yield spanDraft({ origin, item: span }, type, shared());
  for (const exception of span.exceptions) yield exceptionDraft({ origin, item: exception }, span, shared());
}

function spanDraft({ origin, item: span }: Of<Span>, type: RequestType | undefined, shared: SharedMembers): EventDraft {
  const properties = new EventProperties(span);
  addRequest(type, span, properties);
  properties
    .add('latency_ms', span.duration === undefined ? undefined : millisecondsOf(span.duration))
    .add('span_kind', span.kind)
    .add('status_message', span.statusMessage)
    .add('trace_id', span.traceId)
    .add('span_id', span.spanId)
    .add('parent_span_id', span.parentSpanId);
  addShared(shared, properties);
  return {
    event_type: type ?? 'span',
    source: properties.field('source', sourceOf(origin)),
    environment: properties.field('environment', environmentOf(origin)),
    timestamp: span.start,
    message: properties.field('message', span.name),
    severity: properties.field('severity', span.isError ? 'error' : undefined),
    status: properties.field('status', span.isError ? 'error' : undefined),
    properties: properties.toPayload(),
  };
}

function exceptionDraft({ origin, item: exception }: Of<SpanEvent>, span: Span, shared: SharedMembers): EventDraft {
  const properties = new EventProperties(exception);
  properties
    .add('span_name', cutText(span.name, MAX_SPAN_NAME))
    .add('trace_id', span.traceId)
    .add('span_id', span.spanId);
  addShared(shared, properties);
  return {
    event_type: 'exception',
    source: properties.field('source', sourceOf(origin)),
    environment: properties.field('environment', environmentOf(origin)),
    timestamp: exception.time ?? span.start,
    message: properties.field('message', exceptionMessage(exception)),
    severity: properties.field('severity', 'error'),
    status: properties.field('status', 'error'),
    properties: properties.toPayload(),
  };
}

function requestTypeOf({ kind, attributes }: Span): RequestType | undefined {
  if (kind === 'consumer') return 'messaging.process';
  if (kind !== 'server') return undefined;
  return textAttribute(attributes, ['rpc.system', 'rpc.system.name']) === undefined ? 'http.request' : 'rpc';
}

/** Adds method, route and the other properties from which the log and performance pages read a request. */
function addRequest(type: RequestType | undefined, { name, attributes }: Span, properties: EventProperties): void {
  if (type === 'messaging.process') {
    const operation = textAttribute(attributes, ['messaging.operation.type', 'messaging.operation']) ?? 'process';
    const destination = textAttribute(attributes, ['messaging.destination.template', 'messaging.destination.name']);
    properties.add('method', operation.toUpperCase()).add('route', destination ?? name);
    return;
  }
  addHttp(attributes, properties);
  if (type === 'rpc') properties.add('method', rpcSystem(attributes)).add('route', rpcRoute(attributes) ?? name);
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

/** Returns milliseconds, rounded to whole microseconds. */
function millisecondsOf(nanoseconds: number): number {
  return Math.round((nanoseconds / NANOSECONDS_PER_MS) * MICROSECONDS_PER_MS) / MICROSECONDS_PER_MS;
}
