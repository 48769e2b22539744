import type { Test } from 'supertest';
import type { PaymentStandIn, StandInEvent } from './payment-provider.js';
import { api } from './service.js';

/** Sends an event to the service with the signature of the payment provider. */
export function deliver(provider: PaymentStandIn, event: StandInEvent): Test {
  const payload = JSON.stringify(event);
  return api.post('/v1/stripe/webhook', payload).set('Provider-Signature', provider.sign(payload));
}
