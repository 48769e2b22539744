import { createHmac } from 'node:crypto';

export interface DeliveryToSign {
  /** The secrets, newest first: several while a secret is being rotated, none for a destination without a secret. */
  readonly secrets: readonly string[];
  /** The Unix time of this attempt in seconds. */
  readonly timestamp: number;
  /** The same id for all attempts. Receivers recognize repeated deliveries by it. */
  readonly id: string;
  /** The bytes that are sent. */
  readonly body: Buffer;
}

/**
 * Returns the headers that identify and sign one attempt: `X-Service-*` and those of Standard Webhooks. The keys are
 * the UTF-8 bytes of the secrets as typed, so a Standard Webhooks library must get them in its raw format, not as
 * base64. Without secrets, the signatures are omitted.
 */
export function signDelivery({ secrets, timestamp, id, body }: DeliveryToSign): Record<string, string> {
  const headers = {
    'X-Service-Delivery-Id': id,
    'X-Service-Timestamp': String(timestamp),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
  };
  if (secrets.length === 0) return headers;
  const own = secrets.map((secret) => `v1=${hmac(secret, `${timestamp}.`, body).toString('hex')}`);
  const standard = secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.`, body).toString('base64')}`);
  return { ...headers, 'X-Service-Signature': own.join(','), 'webhook-signature': standard.join(' ') };
}

function hmac(secret: string, prefix: string, body: Buffer): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(prefix).update(body).digest();
}
