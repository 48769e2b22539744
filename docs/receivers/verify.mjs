// Node. `body` is a Buffer, `headers` those of the request (names in lower case).
import { createHmac, timingSafeEqual } from 'node:crypto';

export function isGenuine(body, headers, secret, toleranceSeconds = 300) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  const isFresh = /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - timestamp) <= toleranceSeconds;
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const expected = Buffer.from(`v1=${hmac}`);
  const given = (headers['x-service-signature'] ?? '').split(',').map((one) => Buffer.from(one.trim()));
  return isFresh && given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}
