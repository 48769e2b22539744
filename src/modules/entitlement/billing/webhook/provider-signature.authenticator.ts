import { Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { ProviderAuthenticator } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { BillingSettings } from '../billing-settings.js';
import { stripeLibrary } from '../provider/stripe-library.js';
import { InvalidSignature, MissingSignature } from './webhook.errors.js';

/** Older signatures are refused, so that nobody can send a request again that they once saw. */
const TOLERANCE_SECONDS = 300;

/** The provider proves itself by a signature over the raw body, under either name of the header (DECISIONS 7). */
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
 * Unix seconds; a time nobody can read lies in the future, and is refused with it. So are two times, as of a header that is
 * repeated: one would be signed and the other looked at.
 */
function signedAt(signature: string): number {
  const times = signature.split(',').filter((part) => part.trim().startsWith('t='));
  const [, seconds] = /^\s*t=(\d{1,12})$/.exec(times[0] ?? '') ?? [];
  return seconds === undefined || times.length > 1 ? Number.POSITIVE_INFINITY : Number(seconds);
}
