import type { Request, Response } from 'express';
import protobuf from 'protobufjs/minimal.js';
import { LENGTH, tag, VARINT } from './protobuf/fields.js';

export const PROTOBUF = 'application/x-protobuf';
export const JSON_TYPE = 'application/json';

/** The codes of `google.rpc.Status` by the status of HTTP. */
const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  408: 4,
  409: 10,
  413: 8,
  415: 3,
  422: 3,
  429: 8,
  503: 14,
};
const INTERNAL = 13;

/** The signals of OTLP with the names that their answers give to rejected records. */
const REJECTED = {
  logs: 'rejectedLogRecords',
  traces: 'rejectedSpans',
  metrics: 'rejectedDataPoints',
} as const;
export type Signal = keyof typeof REJECTED;

/** Whether a request is read as JSON and answered in JSON. Only protobuf is answered in protobuf. */
export function isJson({ headers }: Pick<Request, 'headers'>): boolean {
  return mediaTypeOf(headers['content-type']) !== PROTOBUF;
}

function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The number of rejected records of a request, and the reasons. */
export interface ExportResult {
  readonly rejected: number;
  /** The reasons, as sentences. Empty when nothing is rejected. */
  readonly message: string;
}

/** Answers a request of which all or some records are stored. */
export function sendTaken(response: Response, signal: Signal, { rejected, message }: ExportResult): void {
  if (isJson(response.req)) {
    const partialSuccess = { [REJECTED[signal]]: String(rejected), errorMessage: message };
    send(response, 200, JSON_TYPE, Buffer.from(JSON.stringify(rejected === 0 ? {} : { partialSuccess })));
    return;
  }
  const writer = protobuf.Writer.create();
  if (rejected > 0) {
    writer.uint32(tag(1, LENGTH)).fork();
    writer.uint32(tag(1, VARINT)).int64(rejected).uint32(tag(2, LENGTH)).string(message).ldelim();
  }
  send(response, 200, PROTOBUF, Buffer.from(writer.finish()));
}

/** Answers with a `google.rpc.Status` in the encoding of the request. */
export function sendStatus(response: Response, status: number, message: string): void {
  const code = CODES[status] ?? INTERNAL;
  if (isJson(response.req)) {
    send(response, status, JSON_TYPE, Buffer.from(JSON.stringify({ code, message })));
    return;
  }
  const writer = protobuf.Writer.create();
  writer.uint32(tag(1, VARINT)).int32(code).uint32(tag(2, LENGTH)).string(message);
  send(response, status, PROTOBUF, Buffer.from(writer.finish()));
}

function send(response: Response, status: number, type: string, body: Buffer): void {
  response.statusCode = status;
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', body.length);
  response.end(body);
}
