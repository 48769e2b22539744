import { SPAN_ID_BYTES, TRACE_ID_BYTES } from '../limits.js';
import { type LogRecord, newLogRecord, type Of } from '../records.js';
import {
  checkEnd,
  endOfMessage,
  FIXED64,
  instantOf,
  LENGTH,
  type Reader,
  readId,
  readNanoseconds,
  skipField,
  tag,
  VARINT,
} from './fields.js';
import { readRecords } from './origins.js';
import { readAttribute, readValue } from './values.js';

const TIME = tag(1, FIXED64);
const SEVERITY_NUMBER = tag(2, VARINT);
const SEVERITY_TEXT = tag(3, LENGTH);
const BODY = tag(5, LENGTH);
const ATTRIBUTE = tag(6, LENGTH);
const DROPPED = tag(7, VARINT);
const TRACE_ID = tag(9, LENGTH);
const SPAN_ID = tag(10, LENGTH);
const OBSERVED_TIME = tag(11, FIXED64);
const EVENT_NAME = tag(12, LENGTH);

/** Reads an `ExportLogsServiceRequest`. @throws Error, RangeError when the bytes are not such a request */
export function readLogs(body: Buffer): Generator<Of<LogRecord>, void> {
  return readRecords(body, readLogRecord);
}

function readLogRecord(reader: Reader): LogRecord {
  const end = endOfMessage(reader);
  const record = newLogRecord();
  while (reader.pos < end) {
    const next = reader.tag();
    switch (next) {
      case TIME:
        record.time = instantOf(readNanoseconds(reader));
        break;
      case SEVERITY_NUMBER:
        record.severityNumber = reader.int32();
        break;
      case SEVERITY_TEXT:
        record.severityText = reader.string();
        break;
      case BODY:
        record.body = readValue(reader, record, 0);
        break;
      case ATTRIBUTE:
        readAttribute(reader, record);
        break;
      case DROPPED:
        record.dropped += reader.uint32();
        break;
      case TRACE_ID:
        record.traceId = readId(reader, TRACE_ID_BYTES);
        break;
      case SPAN_ID:
        record.spanId = readId(reader, SPAN_ID_BYTES);
        break;
      case OBSERVED_TIME:
        record.observedTime = instantOf(readNanoseconds(reader));
        break;
      case EVENT_NAME:
        record.eventName = reader.string();
        break;
      default:
        skipField(reader, next);
    }
  }
  checkEnd(reader, end);
  return record;
}
