import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { OrganizationAuthorization, type PaidPlan } from '../../../tenancy/organizations/index.js';
import { BillingSettings } from '../billing-settings.js';
import { CustomersService } from '../customers/customers.service.js';
import { SubscriptionActive } from '../billing.errors.js';
import { PaymentProvider } from '../provider/payment-provider.js';
import { isPassing } from '../subscriptions/subscription-rules.js';
import { ORGANIZATION_SCOPE } from '../billing-scope.js';
import type { CheckoutRequest, CheckoutResponse } from './checkout.dto.js';

@Injectable()
export class CheckoutService {
  constructor(
    private readonly database: Database,
    private readonly authorization: OrganizationAuthorization,
    private readonly settings: BillingSettings,
    private readonly customers: CustomersService,
    private readonly provider: PaymentProvider,
  ) {}

  /**
   * Starts the checkout of a paid plan. Only the customer is stored, and the next checkout uses it. The plan changes
   * when the provider's events arrive.
   * @throws SubscriptionActive while a subscription is paid for: a second checkout would create a second subscription
   */
  async begin(
    scope: OrganizationScope,
    { plan: requested, currency = null }: CheckoutRequest,
  ): Promise<CheckoutResponse> {
    // The validation of the field has refused `free`.
    const plan = requested as PaidPlan;
    const { organizationId } = scope;
    const organization = await this.database.transaction((tx) => this.authorization.lockAndAuthorize(scope, tx));
    if (isPassing(organization.paymentSubscriptionStatus ?? '')) throw new SubscriptionActive();
    this.settings.requireBilling();
    const priceId = this.settings.price(plan, currency);
    const successUrl = this.settings.url('PAYMENT_SUCCESS_URL');
    const cancelUrl = this.settings.url('PAYMENT_CANCEL_URL');
    const within = this.provider.begin();
    const customerId = await this.customers.ofOrganization(organization, within);
    const metadata = { billing_scope: ORGANIZATION_SCOPE, organization_id: organizationId, plan };
    const session = await this.provider.createCheckout(
      { customerId, priceId, successUrl, cancelUrl, reference: organizationId, metadata },
      within,
    );
    return { organization_id: organizationId, plan, checkout_session_id: session.id, checkout_url: session.url };
  }
}
