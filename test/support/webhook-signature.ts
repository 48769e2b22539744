import { createHmac } from 'node:crypto';
import type { Received } from './receiver.js';

/** The signature of a request as the documentation has a receiver compute it, in code of its own. */
export function expectedSignature(secret: string, { headers, body }: Received): string {
  const signed = `${String(headers['x-service-timestamp'])}.${body}`;
  return `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`;
}
