import type { Type } from '@nestjs/common';
import {
  compile,
  email,
  EnumField,
  IntField,
  type Issue,
  ListField,
  NestedField,
  ObjectField,
  TextField,
  UrlField,
  validateJson,
  ValidationError,
} from '../../../../platform/http/fields/index.js';
import { RETRY_STRATEGIES, type RetryPolicy, type RetryStrategy } from '../../sending/index.js';
import {
  HEADER_NAME_LENGTH,
  headerKey,
  headerValueFault,
  MOST_HEADERS,
  PUBLIC_VALUE_LENGTH,
  publicHeaderNameFault,
} from './header-rules.js';

export const CHANNEL_TYPES = ['email', 'webhook'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

export const WEBHOOK_METHODS = ['POST', 'PUT', 'PATCH'] as const;
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number];

/** SERVICE 2.10. */
export class RetryPolicyConfiguration {
  @EnumField(RETRY_STRATEGIES, { optional: true, default: 'exponential' })
  strategy!: RetryStrategy;

  @IntField({ min: 1, max: 86_400, optional: true, default: 60 })
  base_delay_seconds!: number;

  @IntField({ min: 1, max: 604_800, optional: true, default: 900, description: 'No wait is longer' })
  max_delay_seconds!: number;

  @IntField({ min: 0, max: 100, optional: true, default: 3, description: 'Retries after the first send' })
  max_attempts!: number;
}

export class WebhookConfiguration {
  @UrlField({ description: 'Public address; no user name, no credentials in the query' })
  url!: string;

  @EnumField(WEBHOOK_METHODS, { optional: true, default: 'POST' })
  method!: WebhookMethod;

  @ObjectField({
    optional: true,
    default: {},
    description: 'Public headers by name; credentials belong to the protected ones',
  })
  headers!: Record<string, string>;

  @NestedField(() => RetryPolicyConfiguration, { optional: true })
  retry_policy?: RetryPolicyConfiguration;
}

export class EmailConfiguration {
  @ListField(email(), { min: 1, max: 20 })
  to!: string[];

  @TextField({
    max: 80,
    optional: true,
    check: (text) => (/\p{Cc}/u.test(text) ? 'subject_prefix must not contain control characters' : undefined),
  })
  subject_prefix?: string;

  @NestedField(() => RetryPolicyConfiguration, { optional: true })
  retry_policy?: RetryPolicyConfiguration;
}

export type ChannelConfiguration = WebhookConfiguration | EmailConfiguration;

const CLASSES: Readonly<Record<ChannelType, Type<ChannelConfiguration>>> = {
  webhook: WebhookConfiguration,
  email: EmailConfiguration,
};

const PLACE = ['body', 'configuration'];

/**
 * The configuration of a channel type from a free object, defaults filled in, unknown members left out.
 * @throws ValidationError with rows below `body.configuration`
 */
export function readConfiguration(type: ChannelType, given: Readonly<Record<string, unknown>>): ChannelConfiguration {
  const result = validateJson(compile(CLASSES[type]), given, 'body');
  if ('issues' in result) {
    throw new ValidationError(result.issues.map((issue) => ({ ...issue, loc: [...PLACE, ...issue.loc.slice(1)] })));
  }
  const configuration = result.value as ChannelConfiguration;
  const faults = isWebhook(configuration) ? headerFaults(configuration.headers) : [];
  if (faults.length > 0) throw new ValidationError(faults);
  return configuration;
}

/** Whether a stored configuration still is what its type asks for. */
export function isConfiguration(type: ChannelType, stored: unknown): stored is ChannelConfiguration {
  const result = validateJson(compile(CLASSES[type]), stored ?? {}, 'body');
  return 'value' in result;
}

export function isWebhook(configuration: ChannelConfiguration): configuration is WebhookConfiguration {
  return 'url' in configuration;
}

const DEFAULT_POLICY: RetryPolicyConfiguration = {
  strategy: 'exponential',
  base_delay_seconds: 60,
  max_delay_seconds: 900,
  max_attempts: 3,
};

/** As the interface shows it; the default when the channel has none of its own. */
export function retryPolicyOf({
  retry_policy: own,
}: Pick<ChannelConfiguration, 'retry_policy'>): RetryPolicyConfiguration {
  return { ...DEFAULT_POLICY, ...own };
}

export function toRetryPolicy(policy: RetryPolicyConfiguration): RetryPolicy {
  return {
    strategy: policy.strategy,
    baseDelaySeconds: policy.base_delay_seconds,
    maxDelaySeconds: policy.max_delay_seconds,
    maxRetries: policy.max_attempts,
  };
}

/** A row as fields' own rules make them. */
export function ruleIssue(loc: Issue['loc'], sentence: string, input: unknown): Issue {
  return { type: 'value_error', loc, msg: `Value error, ${sentence}`, input, ctx: { error: {} } };
}

function headerFaults(headers: Readonly<Record<string, unknown>>): Issue[] {
  const faults: Issue[] = [];
  const seen = new Set<string>();
  const at = [...PLACE, 'headers'];
  const names = Object.keys(headers);
  if (names.length > MOST_HEADERS)
    return [ruleIssue(at, `a channel has at most ${MOST_HEADERS} headers`, names.length)];
  for (const [name, value] of Object.entries(headers)) {
    const loc = [...at, name.slice(0, HEADER_NAME_LENGTH)];
    const add = (sentence: string): unknown => faults.push(ruleIssue(loc, sentence, '[redacted]'));
    if (name === '' || name.length > HEADER_NAME_LENGTH) {
      add(`header name should have 1 to ${HEADER_NAME_LENGTH} characters`);
    } else {
      const fault = publicHeaderNameFault(name);
      if (fault !== undefined) add(fault);
    }
    if (seen.has(headerKey(name))) add('header name appears twice');
    seen.add(headerKey(name));
    if (typeof value !== 'string') {
      faults.push({ type: 'string_type', loc, msg: 'Input should be a valid string', input: '[redacted]' });
    } else if ([...value].length > PUBLIC_VALUE_LENGTH) {
      const msg = `String should have at most ${PUBLIC_VALUE_LENGTH} characters`;
      faults.push({ type: 'string_too_long', loc, msg, input: '[redacted]', ctx: { max_length: PUBLIC_VALUE_LENGTH } });
    } else {
      const fault = headerValueFault(value);
      if (fault !== undefined) add(fault);
    }
  }
  return faults;
}
