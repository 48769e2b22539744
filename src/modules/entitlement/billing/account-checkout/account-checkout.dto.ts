import { BooleanField, EnumField, TextField, UrlField } from '../../../../platform/http/validation/index.js';
import { type PaidPlan, PAID_PLANS } from '../../../tenancy/organizations/index.js';
import { CurrencyField } from '../checkout/checkout.dto.js';
import type { Currency } from '../plan-prices.js';

/** A browser would run or open URLs with these schemes. All other schemes are accepted, because apps have their own. */
const REFUSED_SCHEMES = ['javascript', 'data', 'vbscript', 'file'];

export class AccountCheckoutRequest {
  @EnumField(PAID_PLANS, { description: 'Which plan it is' })
  plan!: PaidPlan;

  @UrlField({
    refusedSchemes: REFUSED_SCHEMES,
    // The braces of `{CHECKOUT_SESSION_ID}` are not valid in a URI.
    document: { format: 'uri-template' },
    description:
      'Where the provider leads to after the payment; it puts the session in place of `{CHECKOUT_SESSION_ID}`. Any scheme but `javascript`, `data`, `vbscript` and `file`',
    example: 'https://app.example.com/welcome?session={CHECKOUT_SESSION_ID}',
  })
  success_url!: string;

  @UrlField({
    refusedSchemes: REFUSED_SCHEMES,
    description:
      'Where it leads to when the checkout is given up. Any scheme but `javascript`, `data`, `vbscript` and `file`',
    example: 'https://app.example.com/plans',
  })
  cancel_url!: string;

  @CurrencyField()
  currency?: Currency | null;
}

export class AccountCheckoutResponse {
  @EnumField(PAID_PLANS, { description: 'Which plan it is' })
  plan!: PaidPlan;

  @TextField({ example: 'cs_live_a1B2c3', description: 'Send it to the sync route after the payment' })
  checkout_session_id!: string;

  @UrlField({ description: 'Where to send the browser: the provider takes the payment there' })
  checkout_url!: string;
}

export class SyncCheckoutRequest {
  @TextField({ min: 1, max: 255, description: 'As the provider calls it' })
  checkout_session_id!: string;
}

export class SyncCheckoutResponse {
  @EnumField(PAID_PLANS, { description: 'What the first organization will have' })
  plan!: PaidPlan;

  @TextField({ description: 'As the provider calls it' })
  checkout_session_id!: string;

  @BooleanField({ description: 'True: create the organization now. False: the subscription is not paid for yet' })
  ready_for_workspace!: boolean;

  @TextField({ nullable: true, description: 'As the provider calls the payer; null: not yet' })
  stripe_customer_id!: string | null;

  @TextField({ nullable: true, description: 'As the provider calls it; null: not yet' })
  stripe_subscription_id!: string | null;

  @TextField({ nullable: true, description: 'As the provider calls it', example: 'active' })
  stripe_subscription_status!: string | null;
}
