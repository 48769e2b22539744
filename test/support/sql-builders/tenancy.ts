import pg from 'pg';
import { eventually } from '../eventually.js';
import { service } from '../running-service.js';
import type { Role } from './accounts.js';
import { sql } from './sql.js';

/** Returns the entries of the audit log about one target, the oldest first. No route shows the entries of tenancy. */
export async function auditEntries(of: {
  projectId: string;
  targetId: string;
}): Promise<{ action: string; detail: object }[]> {
  return sql(
    'SELECT action, detail FROM audit_events WHERE project_id = $1 AND target_id = $2 ORDER BY created_at, id',
    [of.projectId, of.targetId],
  );
}

/**
 * Returns the actions in the audit log of a project, the oldest first. The route returns 404 once the project is
 * deleted.
 */
export async function auditedActions(projectId: string): Promise<string[]> {
  const rows = await sql<{ action: string }>(
    'SELECT action FROM audit_events WHERE project_id = $1 ORDER BY created_at, id',
    [projectId],
  );
  return rows.map(({ action }) => action);
}

/** Returns the audit log of an organization, the oldest entry first. No route shows it. */
export async function organizationAudit(organizationId: string): Promise<
  {
    actor_user_id: string | null;
    organization_id: string;
    project_id: string | null;
    action: string;
    target_type: string;
    target_id: string | null;
    detail: object;
    request_id: string | null;
  }[]
> {
  return sql(
    `SELECT actor_user_id, organization_id, project_id, action, target_type, target_id, detail, request_id
     FROM audit_events WHERE organization_id = $1 ORDER BY created_at, id`,
    [organizationId],
  );
}

/** Creates many saved views. Over HTTP each is a request. */
export async function savedViews(projectId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO saved_views (id, project_id, name, filters)
     SELECT gen_random_uuid(), $1, 'view ' || n, '{}' FROM generate_series(1, $2::int) n`,
    [projectId, count],
  );
}

/** Gives an organization a plan. Over HTTP that takes a payment or a platform administrator. */
export async function setPlan(organizationId: string, plan: 'free' | 'pro' | 'scale' | 'enterprise'): Promise<void> {
  await sql('UPDATE organizations SET plan = $2 WHERE id = $1', [organizationId, plan]);
}

/**
 * Stores a role in a project, replacing any other. The routes make nobody an owner, and refuse to change the role of an
 * owner or admin of the organization.
 */
export async function storeProjectRole(projectId: string, userId: string, role: Role | 'owner'): Promise<void> {
  await sql(
    `INSERT INTO project_members (project_id, user_id, role) VALUES ($1, $2, $3)
     ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role`,
    [projectId, userId, role],
  );
}

/**
 * Replaces the first masked path by other paths. The route refuses paths with as many names as older versions accepted.
 */
export async function replaceFirstMaskedPath(projectId: string, paths: readonly string[]): Promise<void> {
  await sql('UPDATE project_settings SET redacted_properties = redacted_properties[2:] || $2 WHERE project_id = $1', [
    projectId,
    paths,
  ]);
}

/** Makes a person a member with a role, replacing any membership. Over HTTP that takes an invitation. */
export async function storeMember(
  of: { organizationId: string; projectId: string },
  userId: string,
  role: Role | 'owner',
): Promise<void> {
  await sql(
    `WITH organization AS (
       INSERT INTO organization_members (organization_id, user_id, role) VALUES ($1, $3, $4)
       ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role)
     INSERT INTO project_members (project_id, user_id, role) VALUES ($2, $3, $4)
     ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role`,
    [of.organizationId, of.projectId, userId, role],
  );
}

/** Deletes the row of a project member. The route refuses that for the owner and the admins of the organization. */
export async function deleteProjectMembership(projectId: string, userId: string): Promise<void> {
  await sql('DELETE FROM project_members WHERE project_id = $1 AND user_id = $2', [projectId, userId]);
}

/** Deletes the membership of an organization and keeps those of its projects. The route deletes all of them. */
export async function deleteOrganizationMembership(organizationId: string, userId: string): Promise<void> {
  await sql('DELETE FROM organization_members WHERE organization_id = $1 AND user_id = $2', [organizationId, userId]);
}

interface ProjectMemberRow {
  project_id: string;
  user_id: string;
  role: string;
}

/**
 * Returns the rows of the members of a project. The route shows effective roles, and returns 404 for a deleted project.
 */
export async function projectMemberRows(projectId: string): Promise<ProjectMemberRow[]> {
  return sql('SELECT project_id, user_id, role FROM project_members WHERE project_id = $1', [projectId]);
}

/**
 * Returns the rows of the members of all projects of an organization. Over HTTP that takes a request for each project.
 */
export async function projectMemberRowsOf(organizationId: string): Promise<ProjectMemberRow[]> {
  return sql(
    `SELECT pm.project_id, pm.user_id, pm.role FROM project_members pm JOIN projects p ON p.id = pm.project_id
     WHERE p.organization_id = $1`,
    [organizationId],
  );
}

/**
 * Returns the differences between the members of the projects and the members of the organization. There are none,
 * unless a person has another role in one project. A role is null where there is no row. The routes show effective
 * roles.
 */
export async function membershipsOutOfStep(
  organizationId: string,
): Promise<{ project_id: string; user_id: string; organization_role: string | null; project_role: string | null }[]> {
  return sql(
    `SELECT coalesce(expected.project_id, pm.project_id) AS project_id,
            coalesce(expected.user_id, pm.user_id) AS user_id,
            expected.role AS organization_role, pm.role AS project_role
     FROM (SELECT p.id AS project_id, m.user_id, m.role FROM projects p
           JOIN organization_members m ON m.organization_id = p.organization_id WHERE p.organization_id = $1) expected
     FULL JOIN (SELECT pm.* FROM project_members pm JOIN projects p ON p.id = pm.project_id
                WHERE p.organization_id = $1) pm
       ON pm.project_id = expected.project_id AND pm.user_id = expected.user_id
     WHERE expected.role IS DISTINCT FROM pm.role`,
    [organizationId],
  );
}

const TABLES_OF_PROJECTS = [
  'events',
  'api_keys',
  'usage_daily',
  'project_members',
  'project_settings',
  'saved_views',
] as const;

/** The number of rows of a project by table. */
export type ProjectRows = Readonly<Record<'projects' | (typeof TABLES_OF_PROJECTS)[number], number>>;

/** Counts the rows of a project by table. Every route returns 404 once the project is deleted. */
export async function rowsOfProject(projectId: string): Promise<ProjectRows> {
  const counts = TABLES_OF_PROJECTS.map(
    (table) => `(SELECT count(*)::int FROM ${table} WHERE project_id = $1) AS ${table}`,
  );
  const [rows] = await sql<ProjectRows>(
    `SELECT (SELECT count(*)::int FROM projects WHERE id = $1) AS projects, ${counts.join(', ')}`,
    [projectId],
  );
  return { ...rows! };
}

/**
 * Moves the deletion of a project two minutes back, so that its grace period is over. Over HTTP that takes a minute.
 */
export async function endDeletionGrace(projectId: string): Promise<void> {
  await sql(`UPDATE projects SET deleted_at = now() - interval '2 minutes' WHERE id = $1`, [projectId]);
}

/** Stores an event for each of the past hours. Over HTTP these are many requests, and each event counts as usage. */
export async function pastEvents(projectId: string, count: number): Promise<void> {
  await sql(
    `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                         log_latency_ms, created_at)
     SELECT $1, now() - n * interval '1 hour', gen_random_uuid(), 'old', 'b', '{}', 'EVENT', '/', 200, 0, now()
     FROM generate_series(1, $2::int) n`,
    [projectId, count],
  );
}

/** Returns the stored usage of a project, one row for each day and key. The routes show sums, and no requests. */
export async function dailyUsage(projectId: string): Promise<{ events: number; requests: number }[]> {
  return sql(
    'SELECT events_ingested::int AS events, requests::int AS requests FROM usage_daily WHERE project_id = $1',
    [projectId],
  );
}

/** Stores the usage of a day in the past. Over HTTP usage is counted today. */
export async function storeUsage(projectId: string, { day, events }: { day: string; events: number }): Promise<void> {
  await sql('INSERT INTO usage_daily (day, project_id, events_ingested) VALUES ($1, $2, $3)', [day, projectId, events]);
}

/** Moves the usage of a project back by days. Over HTTP usage is counted today. */
export async function moveUsageBack(projectId: string, days: number): Promise<void> {
  await sql('UPDATE usage_daily SET day = day - $2::int WHERE project_id = $1', [projectId, days]);
}

/**
 * Runs the work while a transaction locks the row of an organization, so that requests that change the organization
 * wait in a known order. `untilWaiting` resolves when that many of them wait. No request can hold a transaction open.
 */
export async function holdingOrganization<T>(
  organizationId: string,
  work: (untilWaiting: (count: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [organizationId]);
    const result = await work(async (count) => {
      await eventually(
        () => waitingBehind(rows[0]?.pid),
        (waiting) => waiting >= count,
      );
    });
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

/** Counts the connections that wait for a lock of a connection, directly or behind another waiting one. */
async function waitingBehind(pid: number | undefined): Promise<number> {
  const rows = await sql(
    `WITH RECURSIVE waiting (pid) AS (
       SELECT $1::int
       UNION
       SELECT a.pid FROM waiting w
       JOIN pg_stat_activity a ON a.wait_event_type = 'Lock' AND a.datname = current_database()
                              AND w.pid = ANY (pg_blocking_pids(a.pid)))
     SELECT pid FROM waiting WHERE pid <> $1::int`,
    [pid],
  );
  return rows.length;
}
