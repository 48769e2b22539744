// TypeScript for Node, which runs this file as it is from version 22.18 on. For JavaScript, remove the types.
// `body` is a Buffer that is not parsed yet, `headers` are those of the request (names in lower case).
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Verifies a webhook of an alert destination. `secret` is the text that was typed. */
export function isGenuine(body: Buffer, headers: IncomingHttpHeaders, secret: string, toleranceSeconds = 300): boolean {
  const timestamp = textOf(headers, 'x-service-timestamp');
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const given = textOf(headers, 'x-service-signature').split(',');
  return isFresh(timestamp, toleranceSeconds) && isOneOf(given, `v1=${hmac}`);
}

/** Verifies a webhook of a channel, by its signing secret (`whsec_…`). */
export function isGenuineOfChannel(
  body: Buffer,
  headers: IncomingHttpHeaders,
  secret: string,
  toleranceSeconds = 300,
): boolean {
  const id = textOf(headers, 'webhook-id');
  const timestamp = textOf(headers, 'webhook-timestamp');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const given = textOf(headers, 'webhook-signature').split(' ');
  return isFresh(timestamp, toleranceSeconds) && isOneOf(given, `v1,${hmac}`);
}

function textOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function isFresh(timestamp: string, toleranceSeconds: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds;
}

function isOneOf(given: readonly string[], expected: string): boolean {
  const wanted = Buffer.from(expected);
  return given
    .map((one) => Buffer.from(one.trim()))
    .some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
}
