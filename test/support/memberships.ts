import type { TestApp } from './app.js';

export interface OutOfStep {
  project_id: string;
  user_id: string;
  /** Null: no member of the organization. */
  organization_role: string | null;
  /** Null: no membership in the project. */
  project_role: string | null;
}

/** Every place where project memberships do not follow the organization's; nothing, unless an admin gave other roles. */
export function outOfStep(app: TestApp, organizationId: string): Promise<OutOfStep[]> {
  return app.rows<OutOfStep>(
    `SELECT coalesce(expected.project_id, pm.project_id) AS project_id, coalesce(expected.user_id, pm.user_id) AS user_id,
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

/** Lets an organization have any number of projects. */
export async function withoutPlanLimits(app: TestApp, organizationId: string): Promise<void> {
  await app.rows(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [organizationId]);
}
