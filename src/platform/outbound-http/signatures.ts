import { createHmac } from 'node:crypto';

export interface DeliveryToSign {
  /** Newest first: more than one while a secret is being rotated, none for a destination without a secret. */
  readonly secrets: readonly string[];
  /** Unix seconds of this try. */
  readonly timestamp: number;
  /** The same over all tries: receivers know a repeat by it. */
  readonly id: string;
  /** The bytes that are sent. */
  readonly body: Buffer;
}

/**
 * The headers that identify and sign one try: `X-Service-*` and those of Standard Webhooks. Keys are the UTF-8 bytes of
 * the secrets as they were typed, so a Standard Webhooks library is given them in its raw format, not as base64.
 * Without secrets the signatures are left out.
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
