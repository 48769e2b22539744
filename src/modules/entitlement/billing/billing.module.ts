import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PlatformAdministrators, ProviderAuthenticator } from '../../access/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { OrganizationsModule } from '../../tenancy/organizations/index.js';
import { QuotasModule } from '../quotas/index.js';
import { onAccountDeleted, UsersModule } from '../../identity/users/index.js';
import { AccountCheckoutController } from './account-checkout/account-checkout.controller.js';
import { AccountCheckoutService } from './account-checkout/account-checkout.service.js';
import { CheckoutSyncService } from './account-checkout/checkout-sync.service.js';
import { BillingAdministrationController } from './administration/administration.controller.js';
import { AdministrationService } from './administration/administration.service.js';
import { PlatformAdministratorsAdapter } from './administration/platform-administrators.adapter.js';
import { BillingSettings } from './billing-settings.js';
import { CheckoutController } from './checkout/checkout.controller.js';
import { CheckoutService } from './checkout/checkout.service.js';
import { BillingOfDeletedOrganizations } from './customers/billing-of-deleted-organizations.js';
import { CustomerRemoval } from './customers/customer-removal.entity.js';
import { CustomerRemovalsMaintenance } from './customers/customer-removals.maintenance.js';
import { CustomerRemovalsRepository } from './customers/customer-removals.repository.js';
import { CustomersService } from './customers/customers.service.js';
import { PortalController } from './portal/portal.controller.js';
import { PortalService } from './portal/portal.service.js';
import { PaymentProvider } from './provider/payment-provider.js';
import { StripePaymentProvider } from './provider/stripe-payment-provider.js';
import { BillingStatusController } from './status/status.controller.js';
import { StatusService } from './status/status.service.js';
import { FirstOrganizationHandler } from './subscriptions/first-organization.handler.js';
import { OrganizationBillingRepository } from './subscriptions/organization-billing.repository.js';
import { PaymentSubscription } from './subscriptions/payment-subscription.entity.js';
import { PendingSubscriptionsRepository } from './subscriptions/pending-subscriptions.repository.js';
import { SubscriptionHolderFinder } from './subscriptions/subscription-holder.finder.js';
import { SubscriptionsRepository } from './subscriptions/subscriptions.repository.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';
import { PaymentEventExpiry } from './webhook/payment-event-expiry.js';
import { PaymentEvent } from './webhook/payment-event.entity.js';
import { PaymentEventsRepository } from './webhook/payment-events.repository.js';
import { ProviderSignatureAuthenticator } from './webhook/provider-signature.authenticator.js';
import { WebhookController } from './webhook/webhook.controller.js';
import { WebhookService } from './webhook/webhook.service.js';

@Module({
  imports: [
    AuditModule,
    OrganizationsModule,
    QuotasModule,
    UsersModule,
    TypeOrmModule.forFeature([CustomerRemoval, PaymentEvent, PaymentSubscription]),
  ],
  controllers: [
    AccountCheckoutController,
    BillingAdministrationController,
    BillingStatusController,
    CheckoutController,
    PortalController,
    WebhookController,
  ],
  providers: [
    AccountCheckoutService,
    AdministrationService,
    BillingOfDeletedOrganizations,
    BillingSettings,
    CheckoutService,
    CheckoutSyncService,
    CustomerRemovalsMaintenance,
    CustomerRemovalsRepository,
    onAccountDeleted(CustomerRemovalsRepository, (removals, userId, tx) => removals.addAllOf(userId, tx)),
    CustomersService,
    FirstOrganizationHandler,
    OrganizationBillingRepository,
    PaymentEventExpiry,
    PaymentEventsRepository,
    PendingSubscriptionsRepository,
    PortalService,
    StatusService,
    SubscriptionHolderFinder,
    SubscriptionsRepository,
    SubscriptionsService,
    WebhookService,
    { provide: PaymentProvider, useClass: StripePaymentProvider },
    { provide: PlatformAdministrators, useClass: PlatformAdministratorsAdapter },
    { provide: ProviderAuthenticator, useClass: ProviderSignatureAuthenticator },
  ],
  exports: [PaymentProvider, PlatformAdministrators, ProviderAuthenticator],
})
export class BillingModule {}
