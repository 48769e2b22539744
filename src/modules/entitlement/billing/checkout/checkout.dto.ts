import { EnumField, TextField, UrlField, UuidField } from '../../../../platform/http/validation/index.js';
import { type PaidPlan, PAID_PLANS, type Plan, PLANS } from '../../../tenancy/organizations/index.js';
import { CURRENCIES, type Currency } from '../plan-prices.js';

export const CurrencyField = (): PropertyDecorator =>
  EnumField(CURRENCIES, {
    optional: true,
    nullable: true,
    description: 'A plan without a price of its own in the currency is sold at its one price',
  });

export class CheckoutRequest {
  @UuidField({ description: 'The organization that pays' })
  organization_id!: string;

  @EnumField(PLANS, {
    check: (plan) => (plan === 'free' ? 'the plan free needs no checkout' : undefined),
    description: '`free` is refused',
    example: 'pro',
  })
  plan!: Plan;

  @CurrencyField()
  currency?: Currency | null;
}

export class CheckoutResponse {
  @UuidField({ description: 'The organization that pays' })
  organization_id!: string;

  @EnumField(PAID_PLANS, { description: 'Which plan it is' })
  plan!: PaidPlan;

  @TextField({ example: 'cs_live_a1B2c3', description: 'As the provider calls it' })
  checkout_session_id!: string;

  @UrlField({ description: 'Where to send the browser: the provider takes the payment there' })
  checkout_url!: string;
}
