import { domainError } from '../../../platform/http/domain-error.js';

export class PaymentNotConfigured extends domainError(500, 'Payment provider is not configured') {}
export class PaymentProviderFailed extends domainError(502, 'Payment provider request failed') {}
export class SubscriptionActive extends domainError(409, 'Subscription already active') {}
