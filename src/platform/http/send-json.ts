import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import { stringifyExact } from '../json/index.js';
import { SLOW_CLIENT_LIMITS } from './slow-client.js';
import { PacedResponse } from './paced-response.js';
import { WrittenJson } from './written-json.js';

/**
 * `response.json()` without what this service has no use for: settings of the text, content type and charset worked out
 * each time, ETag and freshness. Head and body leave as one text, so in one write.
 */
export function sendJson(response: Response, status: number, value: unknown): void {
  const plain: ServerResponse = response;
  plain.statusCode = status;
  if (value instanceof WrittenJson) {
    sendWritten(plain, value);
    return;
  }
  // Whoever has said what it is gets Express' way of completing that.
  if (status === 204 || status === 304 || plain.hasHeader('Content-Type')) {
    response.json(value);
    return;
  }
  sendText(plain, stringifyExact(value));
}

function sendText(response: ServerResponse, text: string): void {
  setHead(response, Buffer.byteLength(text));
  // Node leaves the body of an answer to HEAD out.
  response.end(text);
}

function sendWritten(response: ServerResponse, { text, hold }: WrittenJson): void {
  if (hold === undefined) {
    sendText(response, text);
    return;
  }
  const bytes = Buffer.from(text);
  hold.read();
  // A connection that broke meanwhile has been answered for already, or has nobody left to answer.
  if (response.headersSent || response.destroyed) {
    hold.sent();
    return;
  }
  setHead(response, bytes.length);
  const paced = new PacedResponse(response, SLOW_CLIENT_LIMITS);
  paced
    .write(bytes)
    .then(() => paced.end())
    // Nobody is left who could be told anything.
    .catch(() => response.destroy())
    .finally(() => hold.sent());
}

function setHead(response: ServerResponse, length: number): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', length);
}
