import type { OpenAPIObject } from '@nestjs/swagger';
import { FAULT_TYPES } from '../platform/http/validation/index.js';

const AGAINST_RECOVERY =
  'not_failed replay_created_attempt already_terminal not_dlq not_terminal retry_claim_active channel_missing channel_disabled unsupported_channel_type unsupported_delivery_kind destination_configuration_invalid retry_policy_exhausted dlq_drain_created_attempt dlq_drain_claim_active already_drained';

/** Names of the document's enumerations in clients, by their values. These names are part of the contract. */
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    AlertEventBulkRefusal:
      'Alert event not found Insufficient project role Alert event is already acknowledged Alert event is resolved Internal Server Error',
    IngestionFailureReason:
      'billing_inactive blocked limit_exceeded request_limit_exceeded daily_limit_exceeded rate_limited source_disabled project_archived invalid_signature timestamp_out_of_range',
    InviteRefusalReason:
      'already_pending already_member daily_limit_reached resend_cooldown wrong_account invalid_token already_accepted already_declined revoked expired inviter_without_right',
    ConditionAggregate: 'count sum avg min max p50 p95 p99 error_rate',
    CountingAggregate: 'count error_rate',
    ChangeDirection: 'up down both',
    ConditionComparator: 'eq ne gt gte lt lte',
    EqualityOperator: 'eq ne',
    OrderingOperator: 'gt gte lt lte',
    TextOperator: 'starts_with matches',
    Aggregate: 'count errors error_rate unique sum avg min max p50 p95 p99',
    AskedSeriesInterval: 'auto minute hour day week',
    Comparison: 'none previous',
    EndpointGrouping: 'endpoint route',
    EndpointOrder: 'requests p95 error_rate errors total_time',
    SearchType:
      'event event_type event_source api_key alert_rule alert_event alert_destination delivery_channel saved_view object secret finding',
    SeriesInterval: 'minute hour day week month year',
    AlertDeliveryStatus: 'pending retrying sent failed',
    AlertDestinationType: 'webhook slack',
    AlertEventAct: 'acknowledge resolve',
    AlertEventStatus: 'open acknowledged snoozed resolved',
    AlertRuleRecipients: 'all_webhooks linked nobody',
    AlertRuleState: 'inactive pending firing recovering failing',
    AlertSilenceState: 'pending active expired',
    AlertTimelineEntryType:
      'opened notified nobody_notified acknowledged snoozed snooze_ended resolved reopened assigned unassigned commented',
    AssignableProjectRole: 'admin operator member viewer',
    BillingBlockReason: 'billing_inactive limit_exceeded request_limit_exceeded blocked',
    BillingRecommendedAction: 'upgrade contact_support none',
    AdministrativeBillingStatus: 'active blocked suspended',
    BillingStatus: 'active trialing past_due inactive canceled blocked suspended',
    HookScheme: 'github stripe shopify slack standard-webhooks gitlab hmac-sha256 none',
    HookSignatureEncoding: 'hex base64',
    IngestMode: 'direct batched queued',
    ComponentStatus: 'ok degraded down not_configured',
    Currency: 'usd eur',
    DeliveryAttemptKind: 'test rule_match',
    DeliveryAttemptLifecycle:
      'original replay retryable scheduled_retry retry_exhausted dlq terminal replay_created replay_blocked',
    DeliveryAttemptStatus: 'pending sent failed',
    DeliveryChannelType: 'email webhook',
    DeliveryRetryState: 'pending retryable scheduled_retry retry_exhausted dlq terminal',
    ContentDisposition: 'attachment inline',
    EqlFaultCode: 'syntax semantics limit',
    EqlAnswerKind: 'events sequences samples',
    EqlResultPosition: 'tail head',
    EventInterval: 'minute hour day',
    EventSourceStatus: 'disabled never_seen failing healthy quiet',
    EventSourceType: 'http server browser webhook cron custom',
    FailureFloor: '400 500',
    FindingContributorField: 'event source_id',
    FindingKind: 'rate_spike rate_drop silence error_burst latency_shift new_event_type cardinality_explosion',
    FindingMetric: 'events error_rate p95_latency_ms event_types endpoints',
    FindingSeriesType: 'project source event',
    FindingStatus: 'open acknowledged resolved dismissed',
    FeedbackReason: 'expected not_useful wrong',
    BaselineMethod: 'hour_of_week recent',
    ProjectHealth: 'learning healthy degraded critical',
    ExportFormat: 'ndjson csv',
    InviteAuditAction: 'create resend revoke accept decline expire',
    InviteAuditOutcome: 'success refused',
    InviteDeliveryStatus: 'sent failed not_configured',
    InviteRole: 'operator viewer',
    InviteStatus: 'pending accepted declined revoked expired',
    JsonType: 'string number boolean null object array',
    KeyScope: 'events:read events:write',
    KeyStatus: 'active rotating revoked expired',
    LatencyBucket: 'fast slow very_slow',
    LatencyColor: 'green yellow red',
    OAuthProvider: 'google apple',
    PaidPlan: 'pro scale enterprise',
    Plan: 'free pro scale enterprise',
    ProjectStatus: 'no_events healthy quiet failing',
    Range: '15m 1h 24h 7d 30d all',
    RecoveryRefusalCode: `duplicate_replay ${AGAINST_RECOVERY}`,
    RecoveryReasonCode: AGAINST_RECOVERY,
    RecoveryAction: 'replay retry_now dlq_drain',
    RetryAuditStatus: 'claimed dispatched failed exhausted skipped',
    RetryStrategy: 'fixed linear exponential',
    Role: 'viewer member operator admin owner',
    SavedViewKind: 'view analysis query performance dashboard',
    SecondFactor: 'totp passkey recovery_code',
    ServiceStatus: 'ok degraded down',
    Severity: 'info warning critical',
    SignInMethod: 'password oauth passkey',
    SnippetLanguage: 'curl node python browser cron',
    StatsInterval: 'hour day',
    StatsRange: '24h 7d 30d',
    UploadStatus: 'open completed',
    WebhookMethod: 'POST PUT PATCH',
    UsagePeriod: '24h 7d 30d month',
    ValidationRowType: FAULT_TYPES.join(' '),
    WorkerStatus: 'healthy degraded stale stopped failed',
  }).map(([name, values]) => [values, name]),
);

interface Enumeration {
  readonly type: unknown;
  readonly enum: readonly (string | null)[];
}

/**
 * Moves every enumeration that has a name to the schemas, so that clients have one type for it everywhere. A single
 * value is a constant and stays where it is.
 */
export function nameEnums(document: OpenAPIObject): void {
  const found = new Map<string, object>();
  document.paths = replaced(document.paths, found) as typeof document.paths;
  const schemas = replaced(document.components?.schemas ?? {}, found) as Record<string, object>;
  (document.components ??= {}).schemas = { ...schemas, ...Object.fromEntries(found) };
}

function replaced(part: unknown, found: Map<string, object>): unknown {
  if (Array.isArray(part)) return part.map((each) => replaced(each, found));
  if (part === null || typeof part !== 'object') return part;
  if (!isEnumeration(part)) {
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, replaced(value, found)]));
  }
  const values = part.enum.filter((value) => value !== null);
  const name = NAMES[values.join(' ')];
  if (name === undefined) return part;
  found.set(name, { type: 'string', enum: values });
  const reference = { $ref: `#/components/schemas/${name}` };
  const { type: _, enum: __, ...rest } = part;
  return values.length === part.enum.length
    ? { ...reference, ...rest }
    : { oneOf: [reference, { type: 'null' }], ...rest };
}

function isEnumeration(part: object): part is Enumeration {
  return 'enum' in part && Array.isArray(part.enum) && 'type' in part;
}
