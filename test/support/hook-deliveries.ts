import { createHmac, randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { Webhook } from 'standardwebhooks';

/** A webhook as a provider sends it. */
export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const STANDARD_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const HOOK_SECRET = 'It is a secret to everybody';

const hmac = (text: string, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHmac('sha256', HOOK_SECRET).update(text).digest(encoding);
const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

/** Signs a webhook of GitHub, as JSON or, with a body that is no JSON, as the form it sends. */
export function ofGitHub(event: string, body: object | string, delivery: string = randomUUID()): SignedDelivery {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    body: text,
    headers: {
      'X-GitHub-Event': event,
      'X-GitHub-Delivery': delivery,
      'X-Hub-Signature-256': `sha256=${hmac(text)}`,
      ...(typeof body === 'string' && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
  };
}

/** Signs an event of Stripe with its official library. @param signedAt in seconds */
export function ofStripe(body: object, signedAt = nowInSeconds()): SignedDelivery {
  const payload = JSON.stringify(body);
  const header = Stripe.webhooks.generateTestHeaderString({ payload, secret: HOOK_SECRET, timestamp: signedAt });
  return { body: payload, headers: { 'Stripe-Signature': header } };
}

export function ofShopify(topic: string, body: object, id: string = randomUUID()): SignedDelivery {
  const text = JSON.stringify(body);
  const headers = { 'X-Shopify-Topic': topic, 'X-Shopify-Webhook-Id': id };
  return { body: text, headers: { ...headers, 'X-Shopify-Hmac-Sha256': hmac(text, 'base64') } };
}

/** @param signedAt in seconds */
export function ofSlack(body: object | string, signedAt = nowInSeconds()): SignedDelivery {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    body: text,
    headers: {
      'X-Slack-Request-Timestamp': String(signedAt),
      'X-Slack-Signature': `v0=${hmac(`v0:${signedAt}:${text}`)}`,
      ...(typeof body === 'string' && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
  };
}

/** Signs a message with the library of Standard Webhooks. @param signedAt in seconds */
export function ofStandard(body: object, id: string = randomUUID(), signedAt = nowInSeconds()): SignedDelivery {
  const text = JSON.stringify(body);
  const signature = new Webhook(STANDARD_SECRET).sign(id, new Date(signedAt * 1_000), text);
  return {
    body: text,
    headers: { 'webhook-id': id, 'webhook-timestamp': String(signedAt), 'webhook-signature': signature },
  };
}

export function ofGitLab(body: object, key: string = randomUUID()): SignedDelivery {
  return {
    body: JSON.stringify(body),
    headers: { 'X-Gitlab-Token': HOOK_SECRET, 'X-Gitlab-Event-UUID': randomUUID(), 'Idempotency-Key': key },
  };
}

/** Signs a body in the header `X-Signature`, in hexadecimal digits after `sha256=`. */
export function ofHmac(body: object, headers: Readonly<Record<string, string>> = {}): SignedDelivery {
  const text = JSON.stringify(body);
  return { body: text, headers: { 'X-Signature': `sha256=${hmac(text)}`, ...headers } };
}
