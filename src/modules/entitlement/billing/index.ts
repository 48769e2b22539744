export { AdministrationService as BillingAdministrationService } from './administration/administration.service.js';
export { PaymentNotConfigured, PaymentProviderFailed } from './billing.errors.js';
export { BillingModule } from './billing.module.js';
export { PaymentProvider } from './provider/payment-provider.js';
