import type { ServerResponse } from 'node:http';
import type { Response } from 'express';

/**
 * `response.json()` without what this service has no use for: settings of the text, content type and charset worked out
 * each time, ETag and freshness. Head and body leave as one text, so in one write.
 */
export function sendJson(response: Response, status: number, value: unknown): void {
  const plain: ServerResponse = response;
  const text = JSON.stringify(value);
  plain.statusCode = status;
  if (status === 204 || status === 304) {
    plain.end();
    return;
  }
  if (!plain.hasHeader('Content-Type')) plain.setHeader('Content-Type', 'application/json; charset=utf-8');
  plain.setHeader('Content-Length', Buffer.byteLength(text));
  // Node leaves the body of an answer to HEAD out.
  plain.end(text);
}
