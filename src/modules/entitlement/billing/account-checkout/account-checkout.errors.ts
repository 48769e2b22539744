import { domainError } from '../../../../platform/http/domain-error.js';

export class WorkspaceExists extends domainError(
  409,
  'Pre-checkout is only available before creating your first workspace',
) {}
export class CheckoutOfSomebodyElse extends domainError(403, 'Checkout session does not belong to this user') {}
export class CheckoutIncomplete extends domainError(409, 'Checkout session is not complete yet') {}
export class CheckoutNotFound extends domainError(404, 'Checkout session not found') {}
export class CheckoutWithoutPlan extends domainError(400, 'Checkout session has no known plan') {}
