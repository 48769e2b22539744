import { createHmac } from 'node:crypto';
import type { Received } from './receiver.js';

/** Computes the signature of a request from the documentation, with code of its own, as a receiver does. */
export function expectedSignature(secret: string, { headers, body }: Received): string {
  const signed = `${String(headers['x-service-timestamp'])}.${body}`;
  return `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`;
}
