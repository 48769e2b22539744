import { EnumField, IntField, type Issue } from '../../../../platform/http/validation/index.js';
import type { BodyTemplate } from '../../templates/index.js';
import { RETRY_STRATEGIES, type RetryPolicy, type RetryStrategy } from '../../sending/index.js';

/** Configures the retries of failed attempts of a channel. */
export class RetryPolicyConfiguration {
  @EnumField(RETRY_STRATEGIES, { optional: true, default: 'exponential', description: 'How waits grow' })
  strategy!: RetryStrategy;

  @IntField({ min: 1, max: 86_400, optional: true, default: 60, description: 'The first wait, in seconds' })
  base_delay_seconds!: number;

  @IntField({ min: 1, max: 604_800, optional: true, default: 900, description: 'No wait is longer' })
  max_delay_seconds!: number;

  @IntField({ min: 0, max: 100, optional: true, default: 3, description: 'Retries after the first send' })
  max_attempts!: number;
}

/** The part of the configuration that all channel types share. Each type has its own class, next to its driver. */
export interface ChannelConfiguration {
  readonly retry_policy?: RetryPolicyConfiguration;
  /** The template that replaces the body. Only webhooks have one. */
  readonly template?: BodyTemplate;
}

const DEFAULT_POLICY: RetryPolicyConfiguration = {
  strategy: 'exponential',
  base_delay_seconds: 60,
  max_delay_seconds: 900,
  max_attempts: 3,
};

/** Returns the retry policy of a stored configuration of any shape, with defaults for everything it leaves out. */
export function policyConfigurationOf(configuration: unknown): RetryPolicyConfiguration {
  const { retry_policy: own }: ChannelConfiguration =
    typeof configuration === 'object' && configuration !== null ? configuration : {};
  return { ...DEFAULT_POLICY, ...own };
}

export function policyOf(configuration: unknown): RetryPolicy {
  const policy = policyConfigurationOf(configuration);
  return {
    strategy: policy.strategy,
    baseDelaySeconds: policy.base_delay_seconds,
    maxDelaySeconds: policy.max_delay_seconds,
    maxRetries: policy.max_attempts,
  };
}

/** Returns a validation issue in the form that the rules of fields produce. */
export function ruleIssue(loc: Issue['loc'], sentence: string, input: unknown): Issue {
  return { type: 'value_error', loc, msg: `Value error, ${sentence}`, input, ctx: { error: {} } };
}
