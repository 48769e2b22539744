import { isChannelType } from '../drivers/channel-drivers.js';
import type { AttemptKind, AttemptStatus, ClaimKind, Recovery, StoredRetryState } from './attempt-states.js';

export const RECOVERY_ACTIONS = ['replay', 'retry_now', 'dlq_drain'] as const;
export type RecoveryAction = (typeof RECOVERY_ACTIONS)[number];

export const REASON_CODES = [
  'not_failed',
  'replay_created_attempt',
  'already_terminal',
  'not_dlq',
  'not_terminal',
  'retry_claim_active',
  'channel_missing',
  'channel_disabled',
  'unsupported_channel_type',
  'unsupported_delivery_kind',
  'destination_configuration_invalid',
  'retry_policy_exhausted',
  'dlq_drain_created_attempt',
  'dlq_drain_claim_active',
  'already_drained',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/** The facts that decide whether a recovery action is allowed. */
export interface RecoveryFacts {
  readonly status: AttemptStatus;
  readonly retryState: StoredRetryState | null;
  readonly kind: AttemptKind;
  /** The action that made this attempt from another one; null for an original. */
  readonly recovery: Recovery | null;
  /** The action that created another attempt from this one. Null when there is none. */
  readonly recoveredBy: Recovery | null;
  /** The kind of claim that holds the attempt. Null when there is none. */
  readonly claim: ClaimKind | null;
  readonly channel: { readonly type: string; readonly enabled: boolean; readonly hasValidDestination: boolean } | null;
}

export interface Refused {
  readonly allowed: false;
  readonly action: RecoveryAction;
  readonly reasonCode: ReasonCode;
  readonly reason: string;
}

export type Decision = Refused | (Omit<Refused, 'allowed' | 'reasonCode'> & { allowed: true; reasonCode: null });

interface Rule {
  readonly refuses: (facts: RecoveryFacts) => boolean;
  readonly reason: string;
}

const RULES: Readonly<Record<ReasonCode, Rule>> = {
  not_failed: { refuses: ({ status }) => status !== 'failed', reason: 'Only a failed attempt can be sent again' },
  unsupported_delivery_kind: {
    refuses: ({ kind }) => kind !== 'rule_match',
    reason: 'Test notifications are not sent again: send another test',
  },
  replay_created_attempt: {
    refuses: ({ recovery, recoveredBy }) => recovery === 'replay' || recoveredBy === 'replay',
    reason: 'The attempt was made by a replay, or has been replayed already',
  },
  dlq_drain_created_attempt: {
    refuses: ({ recovery }) => recovery === 'dlq_drain',
    reason: 'The attempt was made by a drain of the dead letters',
  },
  already_drained: {
    refuses: ({ recoveredBy }) => recoveredBy === 'dlq_drain',
    reason: 'The attempt has been drained already',
  },
  not_terminal: {
    refuses: ({ retryState }) => retryState === 'scheduled_retry',
    reason: 'The attempt will be retried automatically',
  },
  already_terminal: {
    refuses: ({ retryState }) => retryState === 'terminal',
    reason: 'The attempt failed for good: repair the cause and replay it',
  },
  not_dlq: { refuses: ({ retryState }) => retryState !== 'dlq', reason: 'The attempt is not among the dead letters' },
  retry_policy_exhausted: {
    refuses: ({ retryState }) => retryState === 'dlq' || retryState === 'retry_exhausted',
    reason: 'The attempt has no retries left',
  },
  retry_claim_active: { refuses: ({ claim }) => claim !== null, reason: 'A retry of the attempt is under way' },
  dlq_drain_claim_active: {
    refuses: ({ claim }) => claim === 'dlq_drain',
    reason: 'A drain of the attempt is under way',
  },
  channel_missing: { refuses: ({ channel }) => channel === null, reason: 'The channel does not exist any more' },
  unsupported_channel_type: {
    refuses: ({ channel }) => channel !== null && !isChannelType(channel.type),
    reason: 'The type of the channel is not supported',
  },
  channel_disabled: { refuses: ({ channel }) => channel?.enabled === false, reason: 'The channel is disabled' },
  destination_configuration_invalid: {
    refuses: ({ channel }) => channel?.hasValidDestination === false,
    reason: 'The destination of the channel is not valid',
  },
};

const CHANNEL_CODES: readonly ReasonCode[] = [
  'channel_missing',
  'unsupported_channel_type',
  'channel_disabled',
  'destination_configuration_invalid',
];

/** The codes that can refuse each action. When several apply, the first one is reported. */
export const PRECEDENCE: Readonly<Record<RecoveryAction, readonly ReasonCode[]>> = {
  replay: [
    'not_failed',
    'unsupported_delivery_kind',
    'replay_created_attempt',
    'dlq_drain_created_attempt',
    'retry_claim_active',
    'already_drained',
    ...CHANNEL_CODES,
  ],
  retry_now: [
    'not_failed',
    'unsupported_delivery_kind',
    'retry_policy_exhausted',
    'already_terminal',
    'retry_claim_active',
    ...CHANNEL_CODES,
  ],
  dlq_drain: [
    'not_failed',
    'unsupported_delivery_kind',
    'replay_created_attempt',
    'dlq_drain_created_attempt',
    'not_terminal',
    'not_dlq',
    'already_drained',
    'dlq_drain_claim_active',
    ...CHANNEL_CODES,
  ],
};

const ALLOWED: Readonly<Record<RecoveryAction, string>> = {
  replay: 'The attempt can be replayed',
  retry_now: 'The attempt can be retried now',
  dlq_drain: 'The attempt can be drained',
};

/** Returns whether an action is allowed, or the first code in {@link PRECEDENCE} that refuses it. */
export function decide(action: RecoveryAction, facts: RecoveryFacts): Decision {
  const reasonCode = PRECEDENCE[action].find((code) => RULES[code].refuses(facts));
  if (reasonCode === undefined) return { allowed: true, action, reasonCode: null, reason: ALLOWED[action] };
  return { allowed: false, action, reasonCode, reason: RULES[reasonCode].reason };
}
