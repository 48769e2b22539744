import { ServiceOverloaded } from '../../../platform/http/domain-error.js';

/**
 * Limits how many lookups of one kind of credential run at once, in total and per address. Anybody can make up
 * credentials, whose lookups would use every connection.
 */
export const CREDENTIAL_LOOKUPS = {
  parallel: 8,
  maxPerKey: 4,
  maxQueued: 2_048,
  maxQueuedPerKey: 1_024,
  timeout: { ms: 5_000, refusal: ServiceOverloaded },
} as const;
