import { domainError } from '../../../platform/http/domain-error.js';

export class SourcePlanLimit extends domainError(403, 'Plan limit reached: sources') {}
export class SourceHasEvents extends domainError(
  409,
  'Event source has ingested events and cannot be deleted. Disable the source instead.',
) {}
export class HookCredentialsUnavailable extends domainError(503, 'Secrets of webhooks are unavailable') {
  override readonly logLevel = 'warn' as const;
}
