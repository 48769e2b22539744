import type { TestApp } from './app.js';

/** Lets an organization have any number of projects. */
export async function withoutPlanLimits(app: TestApp, organizationId: string): Promise<void> {
  await app.rows(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [organizationId]);
}
