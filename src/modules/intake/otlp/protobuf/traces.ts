import { EXCEPTION, MAX_RECORDS, SPAN_ID_BYTES, STATUS_ERROR, TooManyRecords, TRACE_ID_BYTES } from '../limits.js';
import { newSpan, newSpanEvent, type Of, type Span, type SpanEvent, spanKindOf } from '../records.js';
import {
  checkEnd,
  durationOf,
  endOfMessage,
  FIXED64,
  instantOf,
  LENGTH,
  NOT_SET,
  type Reader,
  readId,
  readNanoseconds,
  skipField,
  tag,
  VARINT,
} from './fields.js';
import { readRecords } from './origins.js';
import { readAttribute } from './values.js';

const TRACE_ID = tag(1, LENGTH);
const SPAN_ID = tag(2, LENGTH);
const PARENT_SPAN_ID = tag(4, LENGTH);
const NAME = tag(5, LENGTH);
const KIND = tag(6, VARINT);
const START = tag(7, FIXED64);
const END = tag(8, FIXED64);
const ATTRIBUTE = tag(9, LENGTH);
const DROPPED = tag(10, VARINT);
const EVENT = tag(11, LENGTH);
const STATUS = tag(15, LENGTH);

const STATUS_MESSAGE = tag(2, LENGTH);
const STATUS_CODE = tag(3, VARINT);

const EVENT_TIME = tag(1, FIXED64);
const EVENT_NAME = tag(2, LENGTH);
const EVENT_ATTRIBUTE = tag(3, LENGTH);
const EVENT_DROPPED = tag(4, VARINT);

/** Reads an `ExportTraceServiceRequest`. @throws Error, RangeError when the bytes are not such a request */
export function readTraces(body: Buffer): Generator<Of<Span>, void> {
  return readRecords(body, readSpan);
}

function readSpan(reader: Reader): Span {
  const end = endOfMessage(reader);
  const span = newSpan();
  let [startedAt, endedAt] = [NOT_SET, NOT_SET];
  while (reader.pos < end) {
    const next = reader.tag();
    switch (next) {
      case TRACE_ID:
        span.traceId = readId(reader, TRACE_ID_BYTES);
        break;
      case SPAN_ID:
        span.spanId = readId(reader, SPAN_ID_BYTES);
        break;
      case PARENT_SPAN_ID:
        span.parentSpanId = readId(reader, SPAN_ID_BYTES);
        break;
      case NAME:
        span.name = reader.string();
        break;
      case KIND:
        span.kind = spanKindOf(reader.int32());
        break;
      case START:
        startedAt = readNanoseconds(reader);
        break;
      case END:
        endedAt = readNanoseconds(reader);
        break;
      case ATTRIBUTE:
        readAttribute(reader, span);
        break;
      case DROPPED:
        span.dropped += reader.uint32();
        break;
      case EVENT:
        readEvent(reader, span.exceptions);
        break;
      case STATUS:
        readStatus(reader, span);
        break;
      default:
        skipField(reader, next);
    }
  }
  checkEnd(reader, end);
  span.start = instantOf(startedAt);
  span.duration = durationOf(startedAt, endedAt);
  return span;
}

function readStatus(reader: Reader, span: Span): void {
  const end = endOfMessage(reader);
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === STATUS_MESSAGE) span.statusMessage = reader.string();
    else if (next === STATUS_CODE) span.isError = reader.int32() === STATUS_ERROR;
    else skipField(reader, next);
  }
  checkEnd(reader, end);
}

function readEvent(reader: Reader, exceptions: SpanEvent[]): void {
  const end = endOfMessage(reader);
  const event = newSpanEvent();
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === EVENT_TIME) event.time = instantOf(readNanoseconds(reader));
    else if (next === EVENT_NAME) event.name = reader.string();
    else if (next === EVENT_ATTRIBUTE) readAttribute(reader, event);
    else if (next === EVENT_DROPPED) event.dropped += reader.uint32();
    else skipField(reader, next);
  }
  checkEnd(reader, end);
  if (event.name !== EXCEPTION) return;
  exceptions.push(event);
  if (exceptions.length > MAX_RECORDS) throw new TooManyRecords();
}
