import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import { stringifyExact } from '../json/index.js';
import { SLOW_CLIENT_LIMITS } from './slow-client.js';
import { PacedResponse } from './paced-response.js';
import { WrittenJson } from './written-json.js';

/**
 * Sends JSON like `response.json()`, but without the parts that this service does not use: JSON settings, the
 * computation of content type and charset for each answer, and the checks of ETag and freshness. Head and body are sent
 * in one write.
 */
export function sendJson(response: Response, status: number, value: unknown): void {
  const plain: ServerResponse = response;
  plain.statusCode = status;
  if (value instanceof WrittenJson) {
    sendWritten(plain, value);
    return;
  }
  // When a content type is already set, Express adds the charset to it.
  if (status === 204 || status === 304 || plain.hasHeader('Content-Type')) {
    response.json(value);
    return;
  }
  sendText(plain, stringifyExact(value));
}

function sendText(response: ServerResponse, text: string): void {
  setHead(response, Buffer.byteLength(text));
  // Node omits the body of an answer to HEAD.
  response.end(text);
}

function sendWritten(response: ServerResponse, { text, hold }: WrittenJson): void {
  if (hold === undefined) {
    sendText(response, text);
    return;
  }
  const bytes = Buffer.from(text);
  hold.read();
  // The connection was lost meanwhile. Either the request was already answered, or the client is gone.
  if (response.headersSent || response.destroyed) {
    hold.sent();
    return;
  }
  setHead(response, bytes.length);
  const paced = new PacedResponse(response, SLOW_CLIENT_LIMITS);
  paced
    .write(bytes)
    .then(() => paced.end())
    // The client disconnected, so no error can be sent.
    .catch(() => response.destroy())
    .finally(() => hold.sent());
}

function setHead(response: ServerResponse, length: number): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', length);
}
