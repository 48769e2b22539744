import type {
  AttemptKind,
  AttemptStatus,
  ClaimKind,
  Recovery,
  RetryState,
  StoredRetryState,
} from '../attempts/attempt-states.js';
import type { SentRequest } from '../../sending/index.js';
import type { ChannelType } from '../drivers/channel-drivers.js';
import { decide, type RecoveryFacts } from '../attempts/readiness.js';

/** An attempt as it is read for responses, with its channel and the attempt that a recovery has made from it. */
export interface AttemptView {
  readonly id: string;
  readonly projectId: string;
  readonly channelId: string;
  readonly kind: AttemptKind;
  readonly status: AttemptStatus;
  readonly retryState: StoredRetryState | null;
  readonly dueAt: Date | null;
  /** True for a scheduled retry that is due and unclaimed. */
  readonly isDue: boolean;
  readonly claimKind: ClaimKind | null;
  readonly retryCount: number;
  readonly tryNumber: number;
  readonly eventId: string | null;
  readonly ruleId: string | null;
  readonly sourceId: string | null;
  readonly evaluationId: string | null;
  readonly parentAttemptId: string | null;
  readonly recovery: Recovery | null;
  readonly recoveredById: string | null;
  readonly recoveredBy: Recovery | null;
  readonly responseCode: number | null;
  readonly responseSummary: string | null;
  readonly failureCode: string | null;
  readonly failureReason: string | null;
  readonly requestMetadata: Record<string, unknown> | null;
  readonly responseMetadata: Record<string, unknown> | null;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  readonly terminalAt: Date | null;
  readonly dlqAt: Date | null;
  /** Null: there is no such channel. */
  readonly channel: {
    readonly name: string;
    readonly type: ChannelType;
    readonly enabled: boolean;
    readonly configuration: unknown;
  } | null;
}

/** An attempt with the request of its last send, which may be large. */
export interface AttemptDetailView extends AttemptView {
  readonly sentRequest: SentRequest | null;
}

export const LIFECYCLE_LABELS = [
  'original',
  'replay',
  'retryable',
  'scheduled_retry',
  'retry_exhausted',
  'dlq',
  'terminal',
  'replay_created',
  'replay_blocked',
] as const;
export type LifecycleLabel = (typeof LIFECYCLE_LABELS)[number];

/** Returns the retry state that is shown: `retryable` for a scheduled retry that is due and unclaimed. */
export function readRetryState({ retryState, isDue }: Pick<AttemptView, 'retryState' | 'isDue'>): RetryState | null {
  return retryState === 'scheduled_retry' && isDue ? 'retryable' : retryState;
}

export function factsOf(view: AttemptView, hasValidDestination: boolean): RecoveryFacts {
  const { status, retryState, kind, recovery, recoveredBy, claimKind, channel } = view;
  return {
    status,
    retryState,
    kind,
    recovery,
    recoveredBy,
    claim: claimKind,
    channel: channel && { type: channel.type, enabled: channel.enabled, hasValidDestination },
  };
}

/**
 * Returns the origin of the attempt, its state, and whether a new attempt can be made from it: `replay_created` when a
 * replay or drain has made one, `replay_blocked` when the attempt has failed permanently and cannot be replayed.
 */
export function lifecycleOf(view: AttemptView, hasValidDestination: boolean): LifecycleLabel[] {
  const labels: LifecycleLabel[] = [view.recovery === null ? 'original' : 'replay'];
  const state = readRetryState(view);
  if (state !== null && state !== 'pending') labels.push(state);
  const isOver = view.status === 'failed' && view.retryState !== 'scheduled_retry';
  if (view.recoveredBy !== null) labels.push('replay_created');
  else if (isOver && !decide('replay', factsOf(view, hasValidDestination)).allowed) labels.push('replay_blocked');
  return labels;
}
