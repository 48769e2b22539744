import protobuf from 'protobufjs/light.js';

interface Field {
  readonly type: string;
  readonly id: number;
  readonly rule?: 'repeated';
}

const one = (type: string, id: number): Field => ({ type, id });
const many = (type: string, id: number): Field => ({ type, id, rule: 'repeated' });

const SPAN_EVENT = {
  timeUnixNano: one('fixed64', 1),
  name: one('string', 2),
  attributes: many('KeyValue', 3),
  droppedAttributesCount: one('uint32', 4),
};

/** The messages of OTLP, with the field numbers of the public protocol. */
const MESSAGES: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  AnyValue: {
    stringValue: one('string', 1),
    boolValue: one('bool', 2),
    intValue: one('int64', 3),
    doubleValue: one('double', 4),
    arrayValue: one('ArrayValue', 5),
    kvlistValue: one('KeyValueList', 6),
    bytesValue: one('bytes', 7),
  },
  ArrayValue: { values: many('AnyValue', 1) },
  KeyValueList: { values: many('KeyValue', 1) },
  KeyValue: { key: one('string', 1), value: one('AnyValue', 2) },
  Resource: { attributes: many('KeyValue', 1), droppedAttributesCount: one('uint32', 2) },
  InstrumentationScope: {
    name: one('string', 1),
    version: one('string', 2),
    attributes: many('KeyValue', 3),
    droppedAttributesCount: one('uint32', 4),
  },
  LogRecord: {
    timeUnixNano: one('fixed64', 1),
    severityNumber: one('int32', 2),
    severityText: one('string', 3),
    body: one('AnyValue', 5),
    attributes: many('KeyValue', 6),
    droppedAttributesCount: one('uint32', 7),
    flags: one('fixed32', 8),
    traceId: one('bytes', 9),
    spanId: one('bytes', 10),
    observedTimeUnixNano: one('fixed64', 11),
    eventName: one('string', 12),
  },
  ScopeLogs: { scope: one('InstrumentationScope', 1), logRecords: many('LogRecord', 2), schemaUrl: one('string', 3) },
  ResourceLogs: { resource: one('Resource', 1), scopeLogs: many('ScopeLogs', 2), schemaUrl: one('string', 3) },
  ExportLogsServiceRequest: { resourceLogs: many('ResourceLogs', 1) },
  SpanEvent: SPAN_EVENT,
  SpanStatus: { message: one('string', 2), code: one('int32', 3) },
  SpanLink: { traceId: one('bytes', 1), spanId: one('bytes', 2), attributes: many('KeyValue', 4) },
  Span: {
    traceId: one('bytes', 1),
    spanId: one('bytes', 2),
    traceState: one('string', 3),
    parentSpanId: one('bytes', 4),
    name: one('string', 5),
    kind: one('int32', 6),
    startTimeUnixNano: one('fixed64', 7),
    endTimeUnixNano: one('fixed64', 8),
    attributes: many('KeyValue', 9),
    droppedAttributesCount: one('uint32', 10),
    events: many('SpanEvent', 11),
    links: many('SpanLink', 13),
    status: one('SpanStatus', 15),
    flags: one('fixed32', 16),
  },
  ScopeSpans: { scope: one('InstrumentationScope', 1), spans: many('Span', 2) },
  ResourceSpans: { resource: one('Resource', 1), scopeSpans: many('ScopeSpans', 2) },
  ExportTraceServiceRequest: { resourceSpans: many('ResourceSpans', 1) },
  NumberDataPoint: { timeUnixNano: one('fixed64', 3), asDouble: one('double', 4) },
  Points: { dataPoints: many('NumberDataPoint', 1) },
  Metric: {
    name: one('string', 1),
    gauge: one('Points', 5),
    sum: one('Points', 7),
    histogram: one('Points', 9),
    exponentialHistogram: one('Points', 10),
    summary: one('Points', 11),
  },
  ScopeMetrics: { scope: one('InstrumentationScope', 1), metrics: many('Metric', 2) },
  ResourceMetrics: { resource: one('Resource', 1), scopeMetrics: many('ScopeMetrics', 2) },
  ExportMetricsServiceRequest: { resourceMetrics: many('ResourceMetrics', 1) },
  RejectedRecords: { rejected: one('int64', 1), errorMessage: one('string', 2) },
  ExportResponse: { partialSuccess: one('RejectedRecords', 1) },
  Status: { code: one('int32', 1), message: one('string', 2) },
};

/** Exactly one member of a value is encoded, also one that is empty, 0 or false. */
const ONE_OF = { AnyValue: { value: { oneof: Object.keys(MESSAGES.AnyValue ?? {}) } } };

const ROOT = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(MESSAGES).map(([name, fields]) => [
      name,
      { fields: { ...fields }, ...(name in ONE_OF && { oneofs: ONE_OF.AnyValue }) },
    ]),
  ),
});

export type OtlpMessage =
  | 'ExportLogsServiceRequest'
  | 'ExportTraceServiceRequest'
  | 'ExportMetricsServiceRequest'
  | 'ExportResponse'
  | 'Status';

/** Encodes a message. Members have the names of OTLP in JSON; ids and bytes are buffers, and 64 bits are digits. */
export function encodeOtlp(message: OtlpMessage, members: object): Buffer {
  const type = ROOT.lookupType(message);
  return Buffer.from(type.encode(type.fromObject(members)).finish());
}

/** Decodes an answer. Integers of 64 bits are numbers. */
export function decodeOtlp(message: OtlpMessage, bytes: Buffer): Record<string, unknown> {
  const type = ROOT.lookupType(message);
  return type.toObject(type.decode(bytes), { longs: Number });
}

/** Returns a request in the form that OTLP has in JSON: buffers as hexadecimal ids, and 64 bits as text. */
export function otlpJson(members: object): string {
  return JSON.stringify(members, (_, value: unknown) => {
    const bytes = value as { type?: string; data?: number[] } | null;
    return bytes?.type === 'Buffer' ? Buffer.from(bytes.data ?? []).toString('hex') : value;
  });
}

/** Returns a field with a length, such as text or a message. Messages may so be nested deeper than encoders allow. */
export function encodeField(field: number, content: Buffer): Buffer {
  return Buffer.from(
    protobuf.Writer.create()
      .uint32(field * 8 + 2)
      .bytes(content)
      .finish(),
  );
}
