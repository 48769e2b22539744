import { v7 as newId } from 'uuid';
import { preparedSql, sql } from './sql.js';

interface Holder {
  readonly organizationId: string;
  readonly projectId: string;
}

/** The tenants and accounts whose rows {@link storedRows} reads. */
export interface Observed {
  readonly organizationIds: readonly string[];
  readonly projectIds: readonly string[];
  readonly userIds: readonly string[];
  /**
   * The slug of an organization, and the id of an event of the payment provider. A row with one of them may belong to
   * no tenant.
   */
  readonly mark: string;
}

const OF_PROJECTS = 'project_id = ANY ($1::uuid[])';
const OF_ORGANIZATIONS = 'organization_id = ANY ($2::uuid[])';
const OF_USERS = 'user_id = ANY ($3::uuid[])';
const OF_RULES = `rule_id IN (SELECT id FROM alert_rules WHERE ${OF_PROJECTS})`;

/** The tables that a refused request must not change, each with the condition for the rows that are read. */
const OBSERVED_TABLES: Readonly<Record<string, string>> = {
  organizations: 'id = ANY ($2::uuid[]) OR slug = $4::text',
  organization_members: `${OF_ORGANIZATIONS} OR ${OF_USERS}`,
  invitations: OF_ORGANIZATIONS,
  projects: OF_ORGANIZATIONS,
  project_members: `${OF_PROJECTS} OR ${OF_USERS}`,
  api_keys: OF_PROJECTS,
  event_sources: OF_PROJECTS,
  source_hooks: OF_PROJECTS,
  events: OF_PROJECTS,
  project_settings: OF_PROJECTS,
  project_secrets: OF_PROJECTS,
  stored_blobs: OF_ORGANIZATIONS,
  stored_objects: OF_ORGANIZATIONS,
  object_uploads: OF_ORGANIZATIONS,
  saved_views: OF_PROJECTS,
  passkeys: OF_USERS,
  trusted_devices: OF_USERS,
  totp_factors: OF_USERS,
  recovery_codes: OF_USERS,
  payment_events: `${OF_ORGANIZATIONS} OR ${OF_USERS} OR id = $4::text`,
  payment_subscriptions: `${OF_ORGANIZATIONS} OR ${OF_USERS}`,
  alert_deliveries: OF_PROJECTS,
  alert_destinations: OF_PROJECTS,
  alert_events: OF_PROJECTS,
  alert_notices: OF_PROJECTS,
  alert_rule_channels: OF_RULES,
  alert_rule_destinations: OF_RULES,
  alert_rule_series: OF_RULES,
  alert_rules: OF_PROJECTS,
  alert_silences: OF_PROJECTS,
  alert_timeline: OF_PROJECTS,
  delivery_channels: OF_PROJECTS,
  delivery_protected_headers: OF_PROJECTS,
  delivery_attempts: OF_PROJECTS,
  delivery_retry_audits: OF_PROJECTS,
  delivery_recovery_audits: OF_PROJECTS,
  sentinel_findings: OF_PROJECTS,
  sentinel_points: OF_PROJECTS,
  sentinel_feedback: OF_PROJECTS,
};

const ROWS_BY_TABLE = Object.entries(OBSERVED_TABLES)
  .map(
    ([table, condition]) =>
      `SELECT '${table}' AS "table", count(*)::int AS rows, md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) AS hash
       FROM ${table} t WHERE ${condition}`,
  )
  .join(' UNION ALL ')
  .concat(' ORDER BY "table"');

/**
 * Returns a hash over every column of the rows of some tenants and accounts, for each table. Routes show only some
 * columns.
 */
export async function storedRows({ organizationIds, projectIds, userIds, mark }: Observed): Promise<object[]> {
  return preparedSql('stored rows', ROWS_BY_TABLE, [projectIds, organizationIds, userIds, mark]);
}

/**
 * Stores an object without content, and an upload of this object that nobody can complete. Over HTTP its creator can
 * complete it.
 */
export async function objectAndUpload({ organizationId, projectId }: Holder): Promise<{
  object_id: string;
  upload_id: string;
}> {
  const [object_id, upload_id, blobId] = [newId(), newId(), newId()];
  await sql(
    `INSERT INTO stored_blobs (id, organization_id, project_id, size, state, driver)
     VALUES ($1, $2, $3, 1, 'live', 'files')`,
    [blobId, organizationId, projectId],
  );
  await sql(
    `INSERT INTO stored_objects (id, project_id, organization_id, key, blob_id, size, content_type, etag, metadata, version,
       content_at, created_at, updated_at)
     VALUES ($1, $2, $3, 'known', $4, 1, 'text/plain', 'etag', '{}', 1, now(), now(), now())`,
    [object_id, projectId, organizationId, blobId],
  );
  await sql(
    `INSERT INTO object_uploads (id, project_id, organization_id, blob_id, key, size, content_type, metadata, overwrite,
       part_size, part_count, status, object_id, created_at, expires_at)
     VALUES ($1, $2, $3, $4, 'known', 1, 'text/plain', '{}', false, 1, 1, 'completed', $5, now(), now() + interval '1 day')`,
    [upload_id, projectId, organizationId, blobId, object_id],
  );
  return { object_id, upload_id };
}

/**
 * Stores a disabled channel with a protected header and with an attempt in the dead-letter queue. Over HTTP a delivery
 * first has to fail several times.
 */
export async function failedAttempt(projectId: string): Promise<{
  channel_id: string;
  attempt_id: string;
  header_name: string;
}> {
  const [channel_id, attempt_id, header_name] = [newId(), newId(), 'X-Known'];
  await sql(
    `INSERT INTO delivery_channels (id, project_id, name, type, enabled, configuration)
     VALUES ($1, $2, 'Hook', 'webhook', false, '{"url": "http://127.0.0.1/", "method": "POST", "headers": {}}')`,
    [channel_id, projectId],
  );
  await sql(
    `INSERT INTO delivery_protected_headers (id, project_id, channel_id, name, name_key, value, key_version)
     VALUES ($1, $2, $3, $4, lower($4), 'envelope', 'k1')`,
    [newId(), projectId, channel_id, header_name],
  );
  await sql(
    `INSERT INTO delivery_attempts (id, project_id, channel_id, kind, status, retry_state, due_at)
     VALUES ($1, $2, $3, 'rule_match', 'failed', 'dlq', NULL)`,
    [attempt_id, projectId, channel_id],
  );
  return { channel_id, attempt_id, header_name };
}

/** Stores a passkey and a trusted device of an account. Over HTTP that takes a ceremony, and a sign-in with a second factor. */
export async function passkeyAndDevice(userId: string): Promise<{ passkey_id: string; device_id: string }> {
  const [passkey_id, device_id] = [newId(), newId()];
  await sql(
    `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, backup_eligible, backed_up, transports)
     VALUES ($1, $2, 'Laptop', uuid_send(gen_random_uuid()), 'key', 0, false, false, '{}')`,
    [passkey_id, userId],
  );
  await sql(
    `INSERT INTO trusted_devices (id, user_id, token_hash, expires_at)
     VALUES ($1, $2, uuid_send(gen_random_uuid()), now() + interval '1 day')`,
    [device_id, userId],
  );
  return { passkey_id, device_id };
}

/** Stores a disabled destination and a failed delivery to it. Over HTTP a delivery fails only after several attempts. */
export async function failedAlertDelivery(projectId: string): Promise<{
  destination_id: string;
  delivery_id: string;
}> {
  const [destination_id, noticeId, delivery_id] = [newId(), newId(), newId()];
  await sql(
    `INSERT INTO alert_destinations (id, project_id, type, name, target_url, is_enabled)
     VALUES ($1, $2, 'webhook', 'Hook', 'http://127.0.0.1/', false)`,
    [destination_id, projectId],
  );
  await sql(`INSERT INTO alert_notices (id, project_id, alert_event_id, notice) VALUES ($1, $2, $3, '{}')`, [
    noticeId,
    projectId,
    newId(),
  ]);
  await sql(
    `INSERT INTO alert_deliveries (id, project_id, notice_id, alert_event_id, destination_id, destination_name,
       destination_type, status, due_at, completed_at)
     VALUES ($1, $2, $3, $4, $5, 'Hook', 'webhook', 'failed', NULL, now())`,
    [delivery_id, projectId, noticeId, newId(), destination_id],
  );
  return { destination_id, delivery_id };
}

/** Stores a disabled rule that still has a series. Over HTTP the series of a rule end when the rule is disabled. */
export async function disabledRuleWithSeries(projectId: string): Promise<string> {
  const id = newId();
  await sql(
    `INSERT INTO alert_rules (id, project_id, name, is_enabled, severity, kind, condition, group_by, for_seconds,
                              keep_firing_seconds, cooldown_seconds)
     VALUES ($1, $2, 'Rule', false, 'info', 'match', '{"kind": "match"}', '{}', 0, 0, 0)`,
    [id, projectId],
  );
  await sql(
    `INSERT INTO alert_rule_series (rule_id, fingerprint, group_values, state, since, breached_at)
     VALUES ($1, 'f', '{}', 'pending', now(), now())`,
    [id],
  );
  return id;
}

/** Stores an alert event for which no notification is due. Over HTTP the service later sends notifications about it. */
export async function quietAlertEvent(projectId: string): Promise<string> {
  const id = newId();
  await sql(
    `INSERT INTO alert_events (id, project_id, fingerprint, group_values, severity, message, payload, occurrences,
       cooldown_seconds, targets, created_at, changed_at, last_occurred_at)
     VALUES ($1, $2, 'print', '{}', 'info', 'Alert', '{}', 1, 0, '{"kind": "project"}', now(), now(), now())`,
    [id, projectId],
  );
  await sql(
    `INSERT INTO alert_timeline (id, project_id, alert_event_id, type, detail, created_at)
     VALUES ($1, $2, $3, 'opened', '{}', now())`,
    [newId(), projectId, id],
  );
  return id;
}

/** Stores an open finding. No route creates one, and Sentinel needs days of events for it. */
export async function openFinding(projectId: string): Promise<string> {
  const id = newId();
  await sql(
    `INSERT INTO sentinel_findings (id, project_id, kind, series_type, series_value, metric, status, severity, score, title,
       summary, started_at, detected_at, last_seen_at, evidence)
     VALUES ($1, $2, 'rate_spike', 'project', '', 'events', 'open', 'warning', 1, 'Finding', 'Finding', now(), now(), now(), $3)`,
    [
      id,
      projectId,
      JSON.stringify({
        interval_seconds: 300,
        points: [],
        baseline: {
          from_ts: '2026-01-01T00:00:00.000Z',
          to_ts: '2026-01-02T00:00:00.000Z',
          samples: 1,
          method: 'recent',
        },
        sample_event_ids: [],
      }),
    ],
  );
  return id;
}
