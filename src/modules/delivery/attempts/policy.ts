import type { RetryPolicy } from '../../../platform/tries/index.js';
import {
  type ChannelConfiguration,
  type RetryPolicyConfiguration,
  retryPolicyOf,
  toRetryPolicy,
} from '../channels/channel-configuration.js';

/** Of a stored configuration, whatever shape it has. */
export function policyConfigurationOf(configuration: unknown): RetryPolicyConfiguration {
  const isObject = typeof configuration === 'object' && configuration !== null;
  return retryPolicyOf(isObject ? (configuration as ChannelConfiguration) : {});
}

export function policyOf(configuration: unknown): RetryPolicy {
  return toRetryPolicy(policyConfigurationOf(configuration));
}
