import { checkExchange } from './answer-check.js';
import { decodeOtlp, encodeOtlp, type OtlpMessage, otlpJson } from './otlp-messages.js';
import { service } from './running-service.js';

export const PROTOBUF = 'application/x-protobuf';
export const JSON_TYPE = 'application/json';

const REQUESTS = {
  logs: 'ExportLogsServiceRequest',
  traces: 'ExportTraceServiceRequest',
  metrics: 'ExportMetricsServiceRequest',
} as const satisfies Record<string, OtlpMessage>;
export type Signal = keyof typeof REQUESTS;

export interface OtlpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The decoded answer: of a request that was taken, or a `google.rpc.Status`. */
  readonly body: Record<string, unknown>;
}

/** Sends bytes to a route of OTLP, and decodes the answer by its media type. */
export async function sendOtlp(
  path: string,
  bytes: Buffer | string,
  headers: Readonly<Record<string, string>>,
  url = service.url,
): Promise<OtlpAnswer> {
  const answer = await fetch(`${url}/intake/otlp/v1/${path}`, {
    method: 'POST',
    body: typeof bytes === 'string' ? bytes : new Uint8Array(bytes),
    headers,
  });
  const received = Buffer.from(await answer.arrayBuffer());
  const { status } = answer;
  const type = answer.headers.get('Content-Type') ?? '';
  const isJson = type === JSON_TYPE;
  const answered = isJson ? received.toString() : '';
  checkExchange({ method: 'POST', url: `/intake/otlp/v1/${path}`, status, type, answered, sent: '' });
  return {
    status,
    headers: answer.headers,
    body: isJson
      ? (JSON.parse(received.toString()) as Record<string, unknown>)
      : decodeOtlp(answer.ok ? 'ExportResponse' : 'Status', received),
  };
}

/** Encodes a request of a signal in both forms, with their media types. */
export function otlpBody(signal: Signal, request: object, type: string): Buffer {
  return type === PROTOBUF ? encodeOtlp(REQUESTS[signal], request) : Buffer.from(otlpJson(request));
}

/** Returns a request with log records that have these bodies. */
export function logsWith(...bodies: string[]): object {
  const logRecords = bodies.map((stringValue) => ({ body: { stringValue }, severityNumber: 9 }));
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}
