import type { RetryPolicy } from '../../sending/index.js';
import { type RetryPolicyConfiguration, retryPolicyOf, toRetryPolicy } from '../channels/channel-configuration.js';

/** Of a stored configuration, whatever shape it has. */
export function policyConfigurationOf(configuration: unknown): RetryPolicyConfiguration {
  return retryPolicyOf(typeof configuration === 'object' && configuration !== null ? configuration : {});
}

export function policyOf(configuration: unknown): RetryPolicy {
  return toRetryPolicy(policyConfigurationOf(configuration));
}
