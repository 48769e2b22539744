// The settings that the service and a stand-in of the payment provider share.
import { randomBytes } from 'node:crypto';

const random = (prefix, bytes) => `${prefix}_${randomBytes(bytes).toString('hex')}`;

export function newPaymentSettings() {
  return {
    secretKey: random('sk_test', 12),
    webhookSecret: random('whsec', 12),
    prices: {
      pro: random('price', 8),
      proEur: random('price', 8),
      scale: random('price', 8),
      enterprise: random('price', 8),
    },
  };
}

/** Returns the environment of a service whose payment provider is at `apiBase`. */
export function paymentEnv({ secretKey, webhookSecret, prices }, apiBase) {
  return {
    ENABLE_PAYMENT_BILLING: 'true',
    ENABLE_PAYMENT_WEBHOOKS: 'true',
    PAYMENT_SECRET_KEY: secretKey,
    PAYMENT_WEBHOOK_SECRET: webhookSecret,
    PAYMENT_PRICE_ID_PRO: prices.pro,
    PAYMENT_PRICE_ID_PRO_EUR: prices.proEur,
    PAYMENT_PRICE_ID_SCALE: prices.scale,
    PAYMENT_PRICE_ID_ENTERPRISE: prices.enterprise,
    PAYMENT_SUCCESS_URL: 'https://app.example.com/paid?session={CHECKOUT_SESSION_ID}',
    PAYMENT_CANCEL_URL: 'https://app.example.com/plans',
    PAYMENT_PORTAL_RETURN_URL: 'https://app.example.com/billing',
    PAYMENT_API_BASE: apiBase,
  };
}
