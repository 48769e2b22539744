// Creates organizations, projects and keys by SQL, because a bench needs a thousand of them and quotas that it never
// reaches.
import { randomUUID } from 'node:crypto';
import { generateKey } from '../dist/src/platform/crypto/index.js';

/** No bench reaches this quota. Without a quota, the service would have nothing to check. */
const HIGH_QUOTA = 1_000_000_000_000;

/** @returns the keys with their projects and organizations */
export async function makeTenants(database, { organizations, keysEach, prefix }) {
  const ownerId = randomUUID();
  await database.query(`INSERT INTO users (id, email, email_key, email_verified_at) VALUES ($1, $2, $2, now())`, [
    ownerId,
    `${prefix}@example.com`,
  ]);
  const made = Array.from({ length: organizations }, (_, one) => ({
    organizationId: randomUUID(),
    projectId: randomUUID(),
    slug: `${prefix}-${one}`,
  }));
  await database.query(
    `INSERT INTO organizations (id, name, slug, owner_id, plan, events_per_month_limit)
     SELECT id, slug, slug, $3, 'enterprise', ${HIGH_QUOTA} FROM unnest($1::uuid[], $2::text[]) AS o (id, slug)`,
    [made.map((one) => one.organizationId), made.map((one) => one.slug), ownerId],
  );
  await database.query(
    `INSERT INTO projects (id, organization_id, name, slug, owner_id)
     SELECT id, organization_id, slug, slug, $4 FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS p (id, organization_id, slug)`,
    [made.map((one) => one.projectId), made.map((one) => one.organizationId), made.map((one) => one.slug), ownerId],
  );
  const keys = made.flatMap(({ projectId, organizationId }) =>
    Array.from({ length: keysEach }, () => ({ id: randomUUID(), projectId, organizationId, ...generateKey('oes') })),
  );
  await database.query(
    `INSERT INTO api_keys (id, project_id, name, prefix, key_hash, scopes, created_by)
     SELECT id, project_id, 'bench', prefix, hash, '{events:read,events:write}', $5
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) AS k (id, project_id, prefix, hash)`,
    [
      keys.map((one) => one.id),
      keys.map((one) => one.projectId),
      keys.map((one) => one.prefix),
      keys.map((one) => one.hash),
      ownerId,
    ],
  );
  return keys;
}

/** Raises the quota of all organizations, including those that were created over HTTP. */
export async function liftQuotas(database) {
  await database.query(`UPDATE organizations SET plan = 'enterprise', events_per_month_limit = ${HIGH_QUOTA}`);
}

const DEADLOCK = '40P01';

const WRITTEN = [
  'events',
  'usage_daily',
  'organization_months',
  'source_days',
  'event_hours',
  'event_facet_hours',
  'event_facet_days',
  'latency_hours',
  'idempotency_records',
  'event_outbox',
];

/**
 * Empties all tables that ingestion writes. Retries a deadlock, which can occur while the service writes metered
 * requests.
 */
export async function emptyTables(database) {
  for (let tries = 1; ; tries += 1) {
    try {
      await database.query(`TRUNCATE ${WRITTEN.join(', ')}`);
      return;
    } catch (error) {
      if (error.code !== DEADLOCK || tries === 5) throw error;
    }
  }
}
