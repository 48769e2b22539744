import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { decodeOtlp } from './otlp-messages.js';

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly failure: string | undefined;
}

export interface SpanReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Returns the number of requests so far. */
  requests(): number;
  close(): Promise<void>;
}

interface Message {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly SpanMessage[] }[] }[];
}
interface SpanMessage {
  readonly name: string;
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentSpanId?: Buffer;
  readonly attributes?: readonly { readonly key: string; readonly value: object }[];
  readonly links?: readonly { readonly traceId: Buffer }[];
  readonly startTimeUnixNano: { toString(): string };
  readonly endTimeUnixNano: { toString(): string };
  readonly status?: { readonly message?: string };
}

/** Starts a receiver of spans by OTLP with protobuf on a free port of 127.0.0.1. */
export async function receiveSpans(): Promise<SpanReceiver> {
  const spans: ReceivedSpan[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests += 1;
      const bytes = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      spans.push(...spansOf(decodeOtlp('ExportTraceServiceRequest', body) as unknown as Message));
      response.setHeader('Content-Type', 'application/x-protobuf').end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests: () => requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function spansOf({ resourceSpans }: Message): ReceivedSpan[] {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(spanOf)));
}

function spanOf(span: SpanMessage): ReceivedSpan {
  const { name, traceId, spanId, parentSpanId, attributes = [], links = [], status } = span;
  return {
    name,
    traceId: hex(traceId),
    spanId: hex(spanId),
    parentSpanId: parentSpanId === undefined ? '' : hex(parentSpanId),
    attributes: Object.fromEntries(
      attributes.map(({ key, value }) => [key, Object.values(value)[0] as string | number]),
    ),
    links: links.map((link) => hex(link.traceId)),
    startedAt: Number(span.startTimeUnixNano) / 1e6,
    endedAt: Number(span.endTimeUnixNano) / 1e6,
    failure: status?.message,
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
