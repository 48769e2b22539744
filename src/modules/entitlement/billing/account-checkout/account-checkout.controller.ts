import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, type UserScope } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, Scope } from '../../../../platform/http/inputs.js';
import { PaymentNotConfigured, PaymentProviderFailed, SubscriptionActive } from '../billing.errors.js';
import {
  AccountCheckoutRequest,
  AccountCheckoutResponse,
  SyncCheckoutRequest,
  SyncCheckoutResponse,
} from './account-checkout.dto.js';
import {
  CheckoutIncomplete,
  CheckoutNotFound,
  CheckoutOfSomebodyElse,
  CheckoutWithoutPlan,
  WorkspaceExists,
} from './account-checkout.errors.js';
import { AccountCheckoutService } from './account-checkout.service.js';
import { CheckoutSyncService } from './checkout-sync.service.js';

@ApiTags('billing')
@Controller('v1/billing/account/checkout-session')
export class AccountCheckoutController {
  constructor(
    private readonly checkout: AccountCheckoutService,
    private readonly synchronization: CheckoutSyncService,
  ) {}

  @Post()
  @Requires()
  @Documented({
    operationId: 'createAccountCheckoutSession',
    summary: 'Pre-workspace checkout',
    description:
      'For a person who belongs to no organization yet: pays for the first one before it exists. Send the browser to `checkout_url`, after the payment call the sync route, then create the organization. Who has paid already does that at once, and changes the plan in the portal afterwards.',
    answer: AccountCheckoutResponse,
    errors: [WorkspaceExists, SubscriptionActive, PaymentNotConfigured, PaymentProviderFailed],
  })
  begin(@Scope() scope: UserScope, @Body() body: AccountCheckoutRequest): Promise<AccountCheckoutResponse> {
    return this.checkout.begin(scope, body);
  }

  @Post('sync')
  @Requires()
  @Documented({
    operationId: 'syncAccountCheckoutSession',
    summary: 'Store the pending plan',
    description:
      'After the payment: reads the session from the provider and keeps what was paid for with the account, as `pending_plan` of `GET /v1/auth/me`. The first organization that the person creates takes it over. May be repeated.',
    answer: SyncCheckoutResponse,
    errors: [
      CheckoutWithoutPlan,
      CheckoutOfSomebodyElse,
      CheckoutNotFound,
      WorkspaceExists,
      CheckoutIncomplete,
      PaymentNotConfigured,
      PaymentProviderFailed,
    ],
  })
  sync(@Scope() scope: UserScope, @Body() body: SyncCheckoutRequest): Promise<SyncCheckoutResponse> {
    return this.synchronization.sync(scope, body.checkout_session_id);
  }
}
