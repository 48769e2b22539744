import { createHmac } from 'node:crypto';

export interface DeliveryToSign {
  /**
   * The secrets, newest first. There are several while a secret is being rotated, and none for a receiver without a
   * secret. A text secret is used as its UTF-8 bytes.
   */
  readonly secrets: readonly (string | Buffer)[];
  /** The Unix time of this attempt in seconds. */
  readonly timestamp: number;
  /** The same id for all attempts, by which receivers recognize a repeated delivery. */
  readonly id: string;
  /** The bytes that are sent. */
  readonly body: Buffer;
}

/** Returns the headers of Standard Webhooks for one attempt. Without secrets, the signature is omitted. */
export function standardHeaders({ secrets, timestamp, id, body }: DeliveryToSign): Record<string, string> {
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp) };
  if (secrets.length === 0) return headers;
  const signatures = secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.`, body).toString('base64')}`);
  return { ...headers, 'webhook-signature': signatures.join(' ') };
}

/**
 * Returns the headers that identify and sign one attempt: `X-Service-*` and those of Standard Webhooks. To verify a
 * secret that was entered as text, a Standard Webhooks library must use the raw format and not base64.
 */
export function signDelivery(delivery: DeliveryToSign): Record<string, string> {
  const { secrets, timestamp, id, body } = delivery;
  const headers = {
    'X-Service-Delivery-Id': id,
    'X-Service-Timestamp': String(timestamp),
    ...standardHeaders(delivery),
  };
  if (secrets.length === 0) return headers;
  const own = secrets.map((secret) => `v1=${hmac(secret, `${timestamp}.`, body).toString('hex')}`);
  return { ...headers, 'X-Service-Signature': own.join(',') };
}

function hmac(secret: string | Buffer, prefix: string, body: Buffer): Buffer {
  return createHmac('sha256', secret).update(prefix).update(body).digest();
}
