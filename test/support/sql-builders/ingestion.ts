import { asText, sql } from './sql.js';

type RunSql = <Row>(statement: string, parameters?: unknown[]) => Promise<Row[]>;

/** Every counter of a project with a query that computes it from the stored events. */
const COUNTERS: Record<string, readonly [counted: string, real: string]> = {
  usage_daily: [
    `SELECT day::text, project_id, api_key_id, events_ingested::int AS n FROM usage_daily
     WHERE project_id = ANY ($1::uuid[]) AND events_ingested > 0`,
    `SELECT (created_at AT TIME ZONE 'UTC')::date::text AS day, project_id, api_key_id, count(*)::int AS n
     FROM events WHERE project_id = ANY ($1::uuid[]) GROUP BY 1, 2, 3`,
  ],
  organization_months: [
    `SELECT organization_id, month::text, events::int AS n FROM organization_months
     WHERE organization_id IN (SELECT organization_id FROM projects WHERE id = ANY ($1::uuid[])) AND events > 0`,
    `SELECT p.organization_id, date_trunc('month', e.created_at AT TIME ZONE 'UTC')::date::text AS month,
            count(*)::int AS n FROM events e JOIN projects p ON p.id = e.project_id
     WHERE p.organization_id IN (SELECT organization_id FROM projects WHERE id = ANY ($1::uuid[])) GROUP BY 1, 2`,
  ],
  source_days: [
    `SELECT project_id, source_id, day::text, events::int AS n FROM source_days WHERE project_id = ANY ($1::uuid[])`,
    `SELECT project_id, source_id, (created_at AT TIME ZONE 'UTC')::date::text AS day, count(*)::int AS n
     FROM events WHERE project_id = ANY ($1::uuid[]) GROUP BY 1, 2, 3`,
  ],
  event_hours: [
    `SELECT project_id, hour, events::int AS n, errors::int AS errors FROM event_hours
     WHERE project_id = ANY ($1::uuid[])`,
    `SELECT project_id, date_trunc('hour', "timestamp", 'UTC') AS hour, count(*)::int AS n,
            count(*) FILTER (WHERE log_status >= 500)::int AS errors
     FROM events WHERE project_id = ANY ($1::uuid[]) GROUP BY 1, 2`,
  ],
  event_facet_hours: [
    `SELECT project_id, hour, event, source_id, severity, status, environment, events::int AS n, errors::int AS errors
     FROM event_facet_hours WHERE project_id = ANY ($1::uuid[])`,
    `SELECT project_id, date_trunc('hour', "timestamp", 'UTC') AS hour, event, source_id, severity, status, environment,
            count(*)::int AS n, count(*) FILTER (WHERE log_status >= 500)::int AS errors
     FROM events WHERE project_id = ANY ($1::uuid[]) GROUP BY 1, 2, 3, 4, 5, 6, 7`,
  ],
  event_facet_days: [
    `SELECT project_id, day, event, source_id, severity, status, environment, events::int AS n, errors::int AS errors
     FROM event_facet_days WHERE project_id = ANY ($1::uuid[])`,
    `SELECT project_id, date_trunc('day', "timestamp", 'UTC') AS day, event, source_id, severity, status, environment,
            count(*)::int AS n, count(*) FILTER (WHERE log_status >= 500)::int AS errors
     FROM events WHERE project_id = ANY ($1::uuid[]) GROUP BY 1, 2, 3, 4, 5, 6, 7`,
  ],
  latency_hours: [
    `SELECT project_id, hour, bucket::int, events::int AS n FROM latency_hours WHERE project_id = ANY ($1::uuid[])`,
    `SELECT project_id, date_trunc('hour', "timestamp", 'UTC') AS hour,
            CASE WHEN log_latency_ms < 1 THEN 0 ELSE ceil(ln(log_latency_ms::float8) / ln(1.02::float8)) END::int AS bucket,
            count(*)::int AS n
     FROM events WHERE project_id = ANY ($1::uuid[]) AND log_has_latency GROUP BY 1, 2, 3`,
  ],
};

const texts = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

/** The counters of some projects, and their expected values. */
export interface CounterComparison {
  readonly counted: Readonly<Record<string, string[]>>;
  readonly real: Readonly<Record<string, string[]>>;
}

/** Reads the rows that ingestion writes to a database, and prepares the state that a test needs there. */
export class IngestionDatabase {
  constructor(private readonly run: RunSql) {}

  /** Returns the stored events of a project. Routes show events in pages, and a batch may have a thousand. */
  async storedEvents(projectId: string): Promise<{ id: string; event: string; created_at: Date }[]> {
    return this.run('SELECT id, event, created_at FROM events WHERE project_id = $1', [projectId]);
  }

  /**
   * Returns the properties of the events of a project whose stored size differs from that of their text. No route shows
   * the size.
   */
  async propertiesOfWrongSize(projectId: string): Promise<object[]> {
    return this.run(
      `SELECT properties::text FROM events
       WHERE project_id = $1 AND bytes IS DISTINCT FROM octet_length(properties::text)`,
      [projectId],
    );
  }

  /** Returns the counted months of an organization, which decide on its quotas. Routes add up the days of projects. */
  async countedMonths(organizationId: string): Promise<{ events: number; requests: number }[]> {
    return this.run('SELECT events::int, requests::int FROM organization_months WHERE organization_id = $1', [
      organizationId,
    ]);
  }

  /** Returns the counted days of a project. Routes do not show the requests. */
  async countedDays(projectId: string): Promise<{ requests: number; events: number }[]> {
    return this.run('SELECT requests::int, events_ingested::int AS events FROM usage_daily WHERE project_id = $1', [
      projectId,
    ]);
  }

  /** Returns the recorded refusals of an API key by reason. Routes show only those of Event Sources. */
  async refusals(apiKeyId: string): Promise<{ reason_code: string; status_code: number; count: number }[]> {
    return this.run(
      'SELECT reason_code, status_code, count::int FROM ingestion_failures WHERE api_key_id = $1 ORDER BY reason_code',
      [apiKeyId],
    );
  }

  /** Counts the stored Idempotency-Keys of an API key. No route shows them. */
  async idempotencyKeys(apiKeyId: string): Promise<number> {
    return (await this.run('SELECT FROM idempotency_records WHERE api_key_id = $1', [apiKeyId])).length;
  }

  /** Sets a billing status. Over HTTP that takes a payment or a platform administrator. */
  async setBillingStatus(organizationId: string, status: string): Promise<void> {
    await this.run('UPDATE organizations SET billing_status = $2 WHERE id = $1', [organizationId, status]);
  }

  /**
   * Sets the number of events that an organization may send in a month. Over HTTP that takes a platform administrator.
   */
  async setMonthlyEvents(organizationId: string, limit: number | null): Promise<void> {
    await this.run('UPDATE organizations SET events_per_month_limit = $2 WHERE id = $1', [organizationId, limit]);
  }

  /** Gives an organization a plan. Over HTTP that takes a payment or a platform administrator. */
  async setPlan(organizationId: string, plan: string): Promise<void> {
    await this.run('UPDATE organizations SET plan = $2 WHERE id = $1', [organizationId, plan]);
  }

  /** Sets the number of requests that an organization has sent in a month. Over HTTP these are as many requests. */
  async setMonthlyRequests(organizationId: string, month: string, requests: number): Promise<void> {
    await this.run(
      `INSERT INTO organization_months (organization_id, month, requests) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id, month) DO UPDATE SET requests = excluded.requests`,
      [organizationId, month, requests],
    );
  }

  /** Deletes the counted months of an organization, which a test has set to invented numbers. No route deletes them. */
  async forgetMonths(organizationId: string): Promise<void> {
    await this.run('DELETE FROM organization_months WHERE organization_id = $1', [organizationId]);
  }

  /** Counts events of a source on a day. Over HTTP these are as many events. */
  async countEvents(of: { projectId: string; sourceId: string | null; day: string; events: number }): Promise<void> {
    await this.run(
      'INSERT INTO source_days (project_id, source_id, day, events, last_event_at) VALUES ($1, $2, $3, $4, now())',
      [of.projectId, of.sourceId, of.day, of.events],
    );
  }

  /** Removes events that {@link countEvents} has counted, so that the counter agrees with the stored events. */
  async discountEvents(projectId: string, events: number): Promise<void> {
    await this.run('UPDATE source_days SET events = events - $2 WHERE project_id = $1', [projectId, events]);
  }

  /** Sets the counted days of the sources of some projects to the stored events, after a test has set other numbers. */
  async recountSourceDays(...projectIds: readonly string[]): Promise<void> {
    await this.run('DELETE FROM source_days WHERE project_id = ANY ($1::uuid[])', [projectIds]);
    await this.run(
      `INSERT INTO source_days (project_id, source_id, day, events, last_event_at)
       SELECT project_id, source_id, (created_at AT TIME ZONE 'UTC')::date, count(*), max(created_at) FROM events
       WHERE project_id = ANY ($1::uuid[]) GROUP BY 1, 2, 3`,
      [projectIds],
    );
  }

  /**
   * Changes the stored answer of an Idempotency-Key to that of a process in queued mode, in the form of older versions.
   * One service has only one mode.
   */
  async storeQueuedAnswer(apiKeyId: string, key: string): Promise<void> {
    await this.run(
      `UPDATE idempotency_records SET answer = jsonb_set(answer, '{answer}', answer -> 'answer' ||
         '{"ingest_mode": "queued", "persisted_synchronously": false, "properties": {"b": 1}}')
       WHERE api_key_id = $1 AND key = $2`,
      [apiKeyId, key],
    );
  }

  /** Gives a stored Idempotency-Key the age of an interval. No route moves the clock. */
  async ageIdempotencyKey(apiKeyId: string, key: string, age: string): Promise<void> {
    await this.run(
      'UPDATE idempotency_records SET created_at = now() - $3::interval WHERE api_key_id = $1 AND key = $2',
      [apiKeyId, key, age],
    );
  }

  /** Gives the unique keys of a project's events the age of an interval. No route moves the clock. */
  async ageUniqueKeys(projectId: string, age: string): Promise<void> {
    await this.run('UPDATE unique_events SET created_at = now() - $2::interval WHERE project_id = $1', [
      projectId,
      age,
    ]);
  }

  /** Counts the stored unique keys of a project. No route shows them. */
  async uniqueKeys(projectId: string): Promise<number> {
    return (await this.run('SELECT FROM unique_events WHERE project_id = $1', [projectId])).length;
  }

  /** Makes the recorded refusals of an API key this many days old. No route moves the clock. */
  async ageRefusals(apiKeyId: string, days: number): Promise<void> {
    await this.run('UPDATE ingestion_failures SET hour = now() - make_interval(days => $2) WHERE api_key_id = $1', [
      apiKeyId,
      days,
    ]);
  }

  /** Compares the counters of some projects with their stored events. No route shows the raw counters. */
  async counters(projectIds: readonly string[]): Promise<CounterComparison> {
    const [counted, real]: [Record<string, string[]>, Record<string, string[]>] = [{}, {}];
    for (const [name, [counts, rows]] of Object.entries(COUNTERS)) {
      counted[name] = texts(await this.run(counts, [projectIds]));
      real[name] = texts(await this.run(rows, [projectIds]));
    }
    return { counted, real };
  }

  /**
   * Returns the stored and counted rows of a tenant, without the ids of the tenant. No route shows the raw counters.
   */
  async countedFor(of: { projectId: string; organizationId: string }): Promise<Record<string, string[]>> {
    const tables = {
      source_days: 'day, events',
      usage_daily: 'day, events_ingested',
      event_hours: 'hour, events, errors',
      event_facet_hours: 'hour, event, severity, status, environment, events, errors',
      event_facet_days: 'day, event, severity, status, environment, events, errors',
      latency_hours: 'hour, bucket, events',
      events: 'event, severity, status, environment, timestamp, properties',
    };
    const months = 'SELECT month, events FROM organization_months WHERE organization_id = $1';
    const counted: Record<string, string[]> = {
      organization_months: texts(await this.run(months, [of.organizationId])),
    };
    for (const [name, columns] of Object.entries(tables)) {
      counted[name] = texts(await this.run(`SELECT ${columns} FROM ${name} WHERE project_id = $1`, [of.projectId]));
    }
    return counted;
  }
}

/** Uses the database of the shared service. */
export const ingestionDatabase = new IngestionDatabase(sql);

/** The row of an event with the columns that a request fills. */
export interface EventRow {
  project_id: string;
  api_key_id: string | null;
  event: string;
  source: string;
  severity: string | null;
  status: string | null;
  environment: string | null;
  message: string | null;
  external_event_id: string | null;
  properties: Record<string, unknown>;
  timestamp: Date;
}

/** Returns the rows of the events of a project, with all columns. Routes convert the rows. */
export async function eventRows(projectId: string): Promise<EventRow[]> {
  return sql('SELECT * FROM events WHERE project_id = $1 ORDER BY id', [projectId]);
}

/** Returns the partition that has the row of an event. No route shows where an event is stored. */
export async function partitionOf(eventId: string): Promise<string | undefined> {
  const [row] = await sql<{ name: string }>('SELECT tableoid::regclass::text AS name FROM events WHERE id = $1', [
    eventId,
  ]);
  return row?.name;
}

/** Returns the counted events of a project by day and key. Routes add up the keys of a project. */
export async function countedEvents(
  projectId: string,
): Promise<{ day: string; api_key_id: string; events_ingested: string }[]> {
  return sql(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, api_key_id, events_ingested FROM usage_daily WHERE project_id = $1`,
    [projectId],
  );
}

/**
 * Counts the rows of an account and of its projects and organizations, and its counted events. No route shows all of
 * them.
 */
export async function rowsOfOwner(userId: string): Promise<Readonly<Record<string, number>>> {
  const [rows] = await sql<Record<string, number>>(
    `WITH owned AS (SELECT id FROM projects WHERE owner_id = $1)
     SELECT (SELECT count(*)::int FROM sessions WHERE user_id = $1) AS sessions,
            (SELECT count(*)::int FROM user_tokens WHERE user_id = $1) AS user_tokens,
            (SELECT count(*)::int FROM organizations WHERE owner_id = $1) AS organizations,
            (SELECT count(*)::int FROM owned) AS projects,
            (SELECT count(*)::int FROM api_keys WHERE project_id IN (SELECT id FROM owned)) AS api_keys,
            (SELECT count(*)::int FROM events WHERE project_id IN (SELECT id FROM owned)) AS events,
            (SELECT coalesce(sum(events_ingested), 0)::int FROM usage_daily
             WHERE project_id IN (SELECT id FROM owned)) AS counted_events`,
    [userId],
  );
  return { ...rows };
}

/** Returns the accounts with one of some addresses. No route finds an account by its address. */
export async function accountsWithAnyAddress(addresses: readonly string[]): Promise<{ id: string; email: string }[]> {
  return sql('SELECT id, email FROM users WHERE email = ANY ($1::text[]) OR email_key = ANY ($1::text[])', [addresses]);
}

/** Makes the wrong passwords of an address, and its lockout, this many minutes older. No route moves the clock. */
export async function agePasswordAttempts(email: string, minutes: number): Promise<void> {
  await sql(
    `UPDATE password_attempts
     SET locked_until = locked_until - make_interval(mins => $2),
         attempted_at = ARRAY(SELECT t - make_interval(mins => $2) FROM unnest(attempted_at) t)
     WHERE subject_hash = sha256(convert_to('sign-in:' || $1, 'UTF8'))`,
    [email, minutes],
  );
}

/** Reads the stored wrong passwords of an address, as text. No route shows them. */
export async function storedPasswordAttempts(email: string): Promise<string> {
  return asText(
    await sql<object>(
      `SELECT * FROM password_attempts WHERE subject_hash = sha256(convert_to('sign-in:' || $1, 'UTF8'))`,
      [email],
    ),
  );
}
