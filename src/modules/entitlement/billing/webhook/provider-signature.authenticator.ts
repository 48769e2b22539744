import { Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { ProviderAuthenticator } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { BillingSettings } from '../billing-settings.js';
import { stripeLibrary } from '../provider/stripe-library.js';
import { InvalidSignature, MissingSignature } from './webhook.errors.js';

/** Older signatures are refused, so that nobody can replay a request that they have captured. */
const TOLERANCE_SECONDS = 300;

/**
 * Authenticates the provider by its signature over the raw body. Both `Provider-Signature` and `Stripe-Signature` are
 * accepted as the name of the header.
 */
@Injectable()
export class ProviderSignatureAuthenticator extends ProviderAuthenticator {
  constructor(
    private readonly settings: BillingSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  expect(headers: IncomingHttpHeaders): void {
    this.settings.webhookSecret();
    if (signatureIn(headers) === undefined) throw new MissingSignature();
  }

  async authenticate(headers: IncomingHttpHeaders, body: Buffer): Promise<void> {
    const { webhooks, errors } = await stripeLibrary();
    const signature = signatureIn(headers) ?? '';
    const now = this.clock.now().getTime();
    try {
      webhooks.signature?.verifyHeader(
        body,
        signature,
        this.settings.webhookSecret(),
        TOLERANCE_SECONDS,
        undefined,
        now,
      );
    } catch (error) {
      if (error instanceof errors.StripeSignatureVerificationError) throw new InvalidSignature();
      throw error;
    }
    if (webhooks.signature === null || signedAt(signature) > now / 1000 + TOLERANCE_SECONDS) {
      throw new InvalidSignature();
    }
  }
}

function signatureIn(headers: IncomingHttpHeaders): string | undefined {
  const signature = [headers['provider-signature'], headers['stripe-signature']].find((value) => value !== undefined);
  const text = Array.isArray(signature) ? signature.join(',') : signature;
  return text === undefined || text.trim() === '' ? undefined : text;
}

/**
 * Returns the time of the signature in Unix seconds. An unreadable time returns infinity, which is refused as a time in
 * the future. A header that contains two times, as a repeated header does, returns infinity as well: one time could be
 * signed and the other one checked.
 */
function signedAt(signature: string): number {
  const times = signature.split(',').filter((part) => part.trim().startsWith('t='));
  const [, seconds] = /^\s*t=(\d{1,12})$/.exec(times[0] ?? '') ?? [];
  return seconds === undefined || times.length > 1 ? Number.POSITIVE_INFINITY : Number(seconds);
}
