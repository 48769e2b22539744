import {
  BooleanField,
  DateTimeField,
  EnumField,
  enumOf,
  IntField,
  ListField,
  nested,
  NestedField,
  ObjectField,
  TextField,
  UuidField,
} from '../../../../platform/http/fields/index.js';
import { PageResponse } from '../../../../platform/http/page.dto.js';
import {
  ATTEMPT_KINDS,
  ATTEMPT_STATUSES,
  type AttemptKind,
  type AttemptStatus,
  RETRY_AUDIT_STATUSES,
  RETRY_STATES,
  type RetryAuditStatus,
  type RetryState,
} from '../attempts/attempt-states.js';
import { RetryPolicyConfiguration } from '../drivers/channel-configuration.js';
import { CHANNEL_TYPES, type ChannelType } from '../drivers/channel-drivers.js';
import { REASON_CODES, type ReasonCode, RECOVERY_ACTIONS, type RecoveryAction } from '../attempts/readiness.js';
import { LIFECYCLE_LABELS, type LifecycleLabel } from './attempt-view.js';

export class HistoryQuery {
  @UuidField({})
  project_id!: string;

  @EnumField(ATTEMPT_STATUSES, { optional: true })
  status?: AttemptStatus;

  @UuidField({ optional: true })
  channel_id?: string;

  @EnumField(CHANNEL_TYPES, { optional: true })
  channel_type?: ChannelType;

  @EnumField(ATTEMPT_KINDS, { optional: true })
  kind?: AttemptKind;

  @EnumField(RETRY_STATES, { optional: true })
  retry_state?: RetryState;

  @BooleanField({ optional: true, description: 'Among the dead letters, or not' })
  dlq?: boolean;

  @BooleanField({ optional: true, description: 'With a retry ahead (`scheduled_retry` or `retryable`), or not' })
  retryable?: boolean;

  @IntField({ min: 1, max: 100, optional: true, default: 25 })
  limit!: number;

  @IntField({ min: 0, optional: true, default: 0 })
  offset!: number;
}

export class RetryAuditsQuery {
  @UuidField({})
  project_id!: string;

  @UuidField({ optional: true, description: 'An attempt' })
  delivery_id?: string;

  @EnumField(RETRY_AUDIT_STATUSES, { optional: true })
  status?: RetryAuditStatus;

  @TextField({ min: 1, max: 120, optional: true })
  worker_id?: string;

  @IntField({ min: 1, max: 100, optional: true, default: 25 })
  limit!: number;

  @IntField({ min: 0, optional: true, default: 0 })
  offset!: number;
}

export class AttemptResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @UuidField({})
  channel_id!: string;

  @TextField({ nullable: true })
  channel_name!: string | null;

  @EnumField(CHANNEL_TYPES, { nullable: true })
  channel_type!: ChannelType | null;

  @EnumField(ATTEMPT_KINDS, {})
  kind!: AttemptKind;

  @EnumField(ATTEMPT_STATUSES, {})
  status!: AttemptStatus;

  @EnumField(RETRY_STATES, {
    nullable: true,
    description: 'Null once sent; `retryable`: a scheduled retry that is due and not begun',
  })
  retry_state!: RetryState | null;

  @IntField({ nullable: true, description: 'Of the last try: HTTP status or SMTP reply' })
  response_code!: number | null;

  @TextField({ nullable: true, description: 'Of the last try; sanitized' })
  failure_reason!: string | null;

  @IntField({ min: 0, description: 'Automatic retries begun' })
  retry_count!: number;

  @DateTimeField({ nullable: true })
  next_retry_at!: string | null;

  @ListField(enumOf(LIFECYCLE_LABELS), {})
  lifecycle!: LifecycleLabel[];

  @BooleanField({})
  is_dlq!: boolean;

  @UuidField({ nullable: true })
  event_id!: string | null;

  @UuidField({ nullable: true })
  rule_id!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ nullable: true, description: 'When it was sent or failed for good' })
  completed_at!: string | null;
}

export class HistoryResponse extends PageResponse {
  @ListField(nested(() => AttemptResponse), {})
  items!: AttemptResponse[];
}

export class DecisionResponse {
  @BooleanField({})
  allowed!: boolean;

  @EnumField(RECOVERY_ACTIONS, {})
  action!: RecoveryAction;

  @EnumField(REASON_CODES, { nullable: true, description: 'Null when allowed' })
  reason_code!: ReasonCode | null;

  @TextField({})
  reason!: string;
}

export class LineageResponse {
  @UuidField({ description: 'The attempt itself when it is an original' })
  original_attempt_id!: string;

  @UuidField({ nullable: true })
  parent_attempt_id!: string | null;

  @UuidField({ nullable: true, description: 'What a replay has made of this one' })
  replay_attempt_id!: string | null;

  @UuidField({ nullable: true, description: 'What this one is a replay of' })
  replay_source_attempt_id!: string | null;

  @UuidField({ nullable: true, description: 'What a drain has made of this one' })
  dlq_drain_attempt_id!: string | null;

  @UuidField({ nullable: true, description: 'What this one was drained from' })
  dlq_drain_source_attempt_id!: string | null;
}

export class AttemptDetailResponse extends AttemptResponse {
  @BooleanField({ nullable: true })
  channel_enabled!: boolean | null;

  @TextField({ nullable: true, description: "Beginning of the answer's body, sanitized" })
  response_summary!: string | null;

  @NestedField(() => RetryPolicyConfiguration, {})
  retry_policy!: RetryPolicyConfiguration;

  @DateTimeField({ nullable: true })
  terminal_at!: string | null;

  @DateTimeField({ nullable: true })
  dlq_at!: string | null;

  @UuidField({ nullable: true })
  source_id!: string | null;

  @UuidField({ nullable: true })
  evaluation_id!: string | null;

  @IntField({ min: 0, description: 'Sends begun, whoever asked for them' })
  try_number!: number;

  @ObjectField({ nullable: true, description: 'Of the last try; names of headers, no values' })
  request_metadata!: Record<string, unknown> | null;

  @ObjectField({ nullable: true })
  response_metadata!: Record<string, unknown> | null;

  @NestedField(() => DecisionResponse, {})
  replay_readiness!: DecisionResponse;

  @NestedField(() => LineageResponse, {})
  lineage!: LineageResponse;
}

export class RetryAuditResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @UuidField({ description: 'The attempt' })
  delivery_id!: string;

  @IntField({ description: '1 for the second send of an attempt; what operators asked for counts too' })
  retry_number!: number;

  @TextField({ description: 'The process, or `user:<id>` for Retry Now' })
  worker_id!: string;

  @EnumField(RETRY_AUDIT_STATUSES, {})
  status!: RetryAuditStatus;

  @DateTimeField({})
  started_at!: string;

  @DateTimeField({ nullable: true })
  finished_at!: string | null;

  @IntField({ nullable: true })
  response_code!: number | null;

  @TextField({ nullable: true })
  response_summary!: string | null;

  @TextField({ nullable: true })
  reason!: string | null;
}

export class RetryAuditsResponse extends PageResponse {
  @ListField(nested(() => RetryAuditResponse), {})
  items!: RetryAuditResponse[];
}
