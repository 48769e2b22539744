import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { OutboxColumns } from '../../sending/index.js';
import type { AttemptKind, AttemptStatus, ClaimKind, Recovery, StoredRetryState } from './attempt-states.js';

const WAITING = 'due_at IS NOT NULL AND claim_token IS NULL';

/**
 * One notification to one channel: the outbox row with its schedule and the evidence of its sends. The row is inserted
 * in the transaction that causes it, and changed by the holder of its claim.
 */
@Entity('delivery_attempts')
@Index('uq_delivery_attempts_parent_attempt_id', ['parentAttemptId'], {
  unique: true,
  where: 'parent_attempt_id IS NOT NULL',
})
@Index('ix_delivery_attempts_project_id', ['projectId', 'createdAt', 'id'])
@Index('ix_delivery_attempts_channel_id', ['channelId', 'createdAt'])
@Index('ix_delivery_attempts_due', ['channelId', 'dueAt'], { where: WAITING })
@Index('ix_delivery_attempts_series', ['channelId', 'fingerprint', 'createdAt'], {
  where: 'due_at IS NOT NULL AND fingerprint IS NOT NULL',
})
@Index('ix_delivery_attempts_backlog', ['dueAt'], { where: WAITING })
@Index('ix_delivery_attempts_claim_expires_at', ['claimExpiresAt'], { where: 'claim_token IS NOT NULL' })
@Check('ck_delivery_attempts_kind', `kind IN ('test', 'rule_match')`)
@Check(
  'ck_delivery_attempts_state',
  `(status = 'pending' AND retry_state = 'pending') OR (status = 'sent' AND retry_state IS NULL)
   OR (status = 'failed' AND retry_state IN ('scheduled_retry', 'retry_exhausted', 'dlq', 'terminal'))`,
)
@Check(
  'ck_delivery_attempts_due',
  `(due_at IS NOT NULL) = (retry_state IN ('pending', 'scheduled_retry') AND retry_state IS NOT NULL)`,
)
@Check(
  'ck_delivery_attempts_recovery',
  `recovery IN ('replay', 'dlq_drain') AND (recovery IS NULL) = (parent_attempt_id IS NULL)`,
)
@Check(
  'ck_delivery_attempts_claim',
  `(claim_token IS NULL) = (claim_kind IS NULL) AND (claim_token IS NULL) = (claim_expires_at IS NULL)
   AND claim_kind IN ('worker', 'retry_now', 'dlq_drain', 'test')`,
)
export class DeliveryAttempt extends OutboxColumns {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_delivery_attempts' })
  id!: string;

  @Column('uuid', { name: 'channel_id' })
  channelId!: string;

  @Column('text')
  kind!: AttemptKind;

  /**
   * The fingerprint of the alert. Attempts of one fingerprint reach the channel in order. Attempts with null, such as
   * replays, are sent in any order.
   */
  @Column('text', { nullable: true })
  fingerprint!: string | null;

  @Column('text', { default: 'pending' })
  status!: AttemptStatus;

  /** Null once the attempt is sent. */
  @Column('text', { name: 'retry_state', nullable: true, default: 'pending' })
  retryState!: StoredRetryState | null;

  /** How many automatic retries have started; `max_attempts` of the policy limits them. */
  @Column('integer', { name: 'retry_count', default: 0 })
  retryCount!: number;

  /** How many sends have started, those of operators included. */
  @Column('integer', { name: 'try_number', default: 0 })
  tryNumber!: number;

  /** The rule in the notification, as it was when it matched. `event` is the event at that time. */
  @Column('jsonb', { nullable: true })
  rule!: Record<string, unknown> | null;

  @Column('jsonb', { nullable: true })
  event!: Record<string, unknown> | null;

  @Column('uuid', { name: 'event_id', nullable: true })
  eventId!: string | null;

  @Column('uuid', { name: 'rule_id', nullable: true })
  ruleId!: string | null;

  @Column('uuid', { name: 'source_id', nullable: true })
  sourceId!: string | null;

  @Column('uuid', { name: 'evaluation_id', nullable: true })
  evaluationId!: string | null;

  /**
   * The failed attempt from which this attempt was made by the action in `recovery`. At most one attempt is made from
   * each.
   */
  @Column('uuid', { name: 'parent_attempt_id', nullable: true })
  parentAttemptId!: string | null;

  @Column('text', { nullable: true })
  recovery!: Recovery | null;

  /** The request of the last send. `responseMetadata` describes the response to it. */
  @Column('jsonb', { name: 'request_metadata', nullable: true })
  requestMetadata!: Record<string, unknown> | null;

  @Column('jsonb', { name: 'response_metadata', nullable: true })
  responseMetadata!: Record<string, unknown> | null;

  /** Mail addresses that have accepted the message; a retry leaves them out. */
  @Column('text', { name: 'delivered_to', array: true, default: () => `'{}'` })
  deliveredTo!: string[];

  @Column('text', { name: 'claim_kind', nullable: true })
  claimKind!: ClaimKind | null;

  @Column('timestamptz', { name: 'terminal_at', nullable: true })
  terminalAt!: Date | null;

  @Column('timestamptz', { name: 'dlq_at', nullable: true })
  dlqAt!: Date | null;
}
