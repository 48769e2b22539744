import { EXCEPTION, MAX_RECORDS, SPAN_ID_BYTES, STATUS_ERROR, TooManyRecords, TRACE_ID_BYTES } from '../limits.js';
import { newSpan, newSpanEvent, type Of, type Span, type SpanEvent, spanKindOf } from '../records.js';
import { duration, id, instant, integer, type JsonMessage, list, message, text } from './members.js';
import { recordsOf } from './origins.js';
import { addAttributes } from './values.js';

const GROUPS = { resources: 'resourceSpans', scopes: 'scopeSpans', records: 'spans' };

/** Reads an `ExportTraceServiceRequest`. @throws UndecodableBody */
export function tracesOf(body: unknown): Generator<Of<Span>, void> {
  return recordsOf(body, GROUPS, spanOf);
}

function spanOf(sent: JsonMessage): Span {
  const span = newSpan();
  addAttributes(sent['attributes'], sent['droppedAttributesCount'], span);
  span.traceId = id(sent['traceId'], TRACE_ID_BYTES);
  span.spanId = id(sent['spanId'], SPAN_ID_BYTES);
  span.parentSpanId = id(sent['parentSpanId'], SPAN_ID_BYTES);
  span.name = text(sent['name']);
  span.kind = spanKindOf(integer(sent['kind']));
  span.start = instant(sent['startTimeUnixNano']);
  span.duration = duration(sent['startTimeUnixNano'], sent['endTimeUnixNano']);
  const status = message(sent['status']);
  span.isError = integer(status['code']) === STATUS_ERROR;
  span.statusMessage = text(status['message']);
  for (const item of list(sent['events'])) {
    if (span.exceptions.length > MAX_RECORDS) throw new TooManyRecords();
    const event = message(item);
    if (text(event['name']) === EXCEPTION) span.exceptions.push(exceptionOf(event));
  }
  return span;
}

function exceptionOf(sent: JsonMessage): SpanEvent {
  const event = newSpanEvent();
  event.name = EXCEPTION;
  event.time = instant(sent['timeUnixNano']);
  addAttributes(sent['attributes'], sent['droppedAttributesCount'], event);
  return event;
}
