// Node. `body` is a Buffer, `headers` those of the request (names in lower case).
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Verifies a webhook of an alert destination. `secret` is the text that was typed. */
export function isGenuine(body, headers, secret, toleranceSeconds = 300) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  const isFresh = /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - timestamp) <= toleranceSeconds;
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const expected = Buffer.from(`v1=${hmac}`);
  const given = (headers['x-service-signature'] ?? '').split(',').map((one) => Buffer.from(one.trim()));
  return isFresh && given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

/** Verifies a webhook of a channel, by its signing secret (`whsec_…`). */
export function isGenuineOfChannel(body, headers, secret, toleranceSeconds = 300) {
  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  const isFresh = /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - timestamp) <= toleranceSeconds;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = Buffer.from(
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  );
  const given = (headers['webhook-signature'] ?? '').split(' ').map((one) => Buffer.from(one));
  return isFresh && given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}
