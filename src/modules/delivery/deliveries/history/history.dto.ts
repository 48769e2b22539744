import {
  BooleanField,
  DateTimeField,
  EnumField,
  enumOf,
  IntField,
  ListField,
  nested,
  NestedField,
  text,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { PageResponse } from '../../../../platform/http/page.dto.js';
import { SENT_REQUEST_DESCRIPTION, SentRequestResponse } from '../../sending/index.js';
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
import { WEBHOOK_METHODS, type WebhookMethod } from '../drivers/webhook.driver.js';
import { REASON_CODES, type ReasonCode, RECOVERY_ACTIONS, type RecoveryAction } from '../attempts/readiness.js';
import { LIFECYCLE_LABELS, type LifecycleLabel } from './attempt-view.js';

export class HistoryQuery {
  @UuidField({})
  project_id!: string;

  @EnumField(ATTEMPT_STATUSES, { optional: true, description: 'Of this status alone' })
  status?: AttemptStatus;

  @UuidField({ optional: true, description: 'Of this channel alone' })
  channel_id?: string;

  @EnumField(CHANNEL_TYPES, { optional: true, description: 'Of channels of this type alone' })
  channel_type?: ChannelType;

  @EnumField(ATTEMPT_KINDS, { optional: true, description: 'Of this kind alone' })
  kind?: AttemptKind;

  @EnumField(RETRY_STATES, { optional: true, description: 'In this retry state alone' })
  retry_state?: RetryState;

  @BooleanField({ optional: true, description: 'Among the dead letters, or not' })
  dlq?: boolean;

  @BooleanField({ optional: true, description: 'With a retry ahead (`scheduled_retry` or `retryable`), or not' })
  retryable?: boolean;

  @DateTimeField({ optional: true, description: 'Made at this time or later' })
  from_ts?: Date;

  @DateTimeField({ optional: true, description: 'Made before this time' })
  to_ts?: Date;

  @IntField({ min: 1, max: 100, optional: true, default: 25, description: 'How many a page has at most' })
  limit!: number;

  @IntField({ min: 0, optional: true, default: 0, description: 'How many came before this page' })
  offset!: number;
}

export class RetryAuditsQuery {
  @UuidField({})
  project_id!: string;

  @UuidField({ optional: true, description: 'An attempt' })
  delivery_id?: string;

  @EnumField(RETRY_AUDIT_STATUSES, { optional: true, description: 'Of this status alone' })
  status?: RetryAuditStatus;

  @TextField({ min: 1, max: 120, optional: true, description: 'Of this process, or of `user:<id>`, alone' })
  worker_id?: string;

  @IntField({ min: 1, max: 100, optional: true, default: 25, description: 'How many a page has at most' })
  limit!: number;

  @IntField({ min: 0, optional: true, default: 0, description: 'How many came before this page' })
  offset!: number;
}

export class AttemptResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @UuidField({ description: 'The delivery channel' })
  channel_id!: string;

  @TextField({ nullable: true, description: 'Of the delivery channel, as it is now; null: it is gone' })
  channel_name!: string | null;

  @EnumField(CHANNEL_TYPES, { nullable: true, description: 'Of the delivery channel; null: it is gone' })
  channel_type!: ChannelType | null;

  @EnumField(ATTEMPT_KINDS, { description: 'What it is about' })
  kind!: AttemptKind;

  @EnumField(ATTEMPT_STATUSES, {
    description: 'Whether it was sent; whether a failed one is tried again, retry_state tells',
  })
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

  @DateTimeField({ nullable: true, description: 'When it is tried again; null: it is not' })
  next_retry_at!: string | null;

  @ListField(enumOf(LIFECYCLE_LABELS), { description: 'What it is and what has come of it' })
  lifecycle!: LifecycleLabel[];

  @BooleanField({ description: 'Whether it is among the dead letters' })
  is_dlq!: boolean;

  @UuidField({ nullable: true, description: 'The event; null: none' })
  event_id!: string | null;

  @UuidField({ nullable: true, description: 'The alert rule that asked for it; null: a test' })
  rule_id!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ nullable: true, description: 'When it was sent or failed for good' })
  completed_at!: string | null;
}

export class HistoryResponse extends PageResponse {
  @ListField(nested(() => AttemptResponse), { description: 'Attempts of this page' })
  items!: AttemptResponse[];
}

export class DecisionResponse {
  @BooleanField({ description: 'Whether it may be done now' })
  allowed!: boolean;

  @EnumField(RECOVERY_ACTIONS, { description: 'What is done' })
  action!: RecoveryAction;

  @EnumField(REASON_CODES, { nullable: true, description: 'Null when allowed' })
  reason_code!: ReasonCode | null;

  @TextField({ description: 'A sentence that says why' })
  reason!: string;
}

export class LineageResponse {
  @UuidField({ description: 'The attempt itself when it is an original' })
  original_attempt_id!: string;

  @UuidField({ nullable: true, description: 'The attempt it was made from; null: it is an original' })
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

/** The stored parts of the request. The type of the channel decides which fields are present. */
class RequestMetadata {
  @IntField({ min: 1, description: '1 for the first send' })
  try_number!: number;

  @EnumField(WEBHOOK_METHODS, { optional: true, description: 'Webhooks: the HTTP method' })
  method?: WebhookMethod;

  @IntField({ optional: true, min: 0, description: 'Webhooks: bytes of the body' })
  content_length?: number;

  @ListField(text(), { optional: true, description: 'Webhooks: names of the public headers' })
  header_names?: string[];

  @ListField(text(), { optional: true, description: 'Webhooks: names of the protected headers' })
  protected_header_names?: string[];

  @IntField({ optional: true, min: 0, description: 'Mail: addresses that were written to' })
  addresses?: number;
}

/** The stored parts of the receiver's answer. The type of the channel decides which fields are present. */
class ResponseMetadata {
  @IntField({ optional: true, min: 0, description: 'Webhooks: milliseconds until the answer was there' })
  duration_ms?: number;

  @TextField({ optional: true, nullable: true, description: 'Webhooks: media type of the answer' })
  content_type?: string | null;

  @IntField({ optional: true, min: 0, description: 'Mail: addresses in all' })
  addresses?: number;

  @IntField({ optional: true, min: 0, description: 'Mail: those that have taken it' })
  accepted?: number;
}

export class AttemptDetailResponse extends AttemptResponse {
  @BooleanField({ nullable: true, description: 'Whether the channel is switched on; null: it is gone' })
  channel_enabled!: boolean | null;

  @TextField({ nullable: true, description: "Beginning of the answer's body, sanitized" })
  response_summary!: string | null;

  @NestedField(() => RetryPolicyConfiguration, { description: 'When failed attempts of the channel are tried again' })
  retry_policy!: RetryPolicyConfiguration;

  @DateTimeField({ nullable: true, description: 'When it was given up; null: it was not' })
  terminal_at!: string | null;

  @DateTimeField({ nullable: true, description: 'When it became a dead letter; null: it did not' })
  dlq_at!: string | null;

  @UuidField({ nullable: true, description: 'The Event Source of the event; null: none' })
  source_id!: string | null;

  @UuidField({ nullable: true, description: 'The evaluation of the rule; null: none' })
  evaluation_id!: string | null;

  @IntField({ min: 0, description: 'Sends begun, whoever asked for them' })
  try_number!: number;

  @NestedField(() => RequestMetadata, { nullable: true, description: 'Of the last try' })
  request_metadata!: Readonly<Record<string, unknown>> | null;

  @NestedField(() => ResponseMetadata, { nullable: true, description: 'Of the last try' })
  response_metadata!: Readonly<Record<string, unknown>> | null;

  @NestedField(() => SentRequestResponse, { nullable: true, description: SENT_REQUEST_DESCRIPTION })
  request!: SentRequestResponse | null;

  @NestedField(() => DecisionResponse, { description: 'Whether it may be replayed now' })
  replay_readiness!: DecisionResponse;

  @NestedField(() => LineageResponse, { description: 'What it was made from and what was made from it' })
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

  @EnumField(RETRY_AUDIT_STATUSES, { description: 'How this retry ended, or that it is under way' })
  status!: RetryAuditStatus;

  @DateTimeField({ description: 'When the try began' })
  started_at!: string;

  @DateTimeField({ nullable: true, description: 'When the try ended; null: it has not' })
  finished_at!: string | null;

  @IntField({ nullable: true, description: 'HTTP status or SMTP reply; null: there was no answer' })
  response_code!: number | null;

  @TextField({ nullable: true, description: 'Beginning of the answer’s body, sanitized; null: there was none' })
  response_summary!: string | null;

  @TextField({ nullable: true, description: 'Why it failed; sanitized' })
  reason!: string | null;
}

export class RetryAuditsResponse extends PageResponse {
  @ListField(nested(() => RetryAuditResponse), { description: 'Retries of this page' })
  items!: RetryAuditResponse[];
}
