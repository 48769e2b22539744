import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, Scope } from '../../../../platform/http/inputs.js';
import { PaymentNotConfigured, PaymentProviderFailed, SubscriptionActive } from '../billing.errors.js';
import { CheckoutRequest, CheckoutResponse } from './checkout.dto.js';
import { CheckoutService } from './checkout.service.js';

@ApiTags('billing')
@Controller('v1/billing/checkout-session')
export class CheckoutController {
  constructor(private readonly checkout: CheckoutService) {}

  @Post()
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'createCheckoutSession',
    summary: 'Organization checkout',
    description:
      'Begins the checkout of a paid plan at the payment provider. Send the browser to `checkout_url`; the provider leads it back to the addresses that the deployment has set. The plan changes when the provider reports the payment, usually within seconds: ask `GET /v1/billing/status` until it shows. An organization whose subscription is paid for (active, trialing or past due) changes its plan through the portal.',
    answer: CheckoutResponse,
    errors: [SubscriptionActive, PaymentNotConfigured, PaymentProviderFailed],
  })
  begin(@Scope() scope: OrganizationScope, @Body() body: CheckoutRequest): Promise<CheckoutResponse> {
    return this.checkout.begin(scope, body);
  }
}
