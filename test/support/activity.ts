import { api, type Tenant } from './service.js';

export interface ActivityEntry {
  readonly actor_user_id: string | null;
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string | null;
  readonly detail: object;
}

/** Returns the audit log of a project, the oldest entry first. */
export async function activityOf({ owner, projectId }: Tenant): Promise<ActivityEntry[]> {
  const path = `/v1/projects/${projectId}/activity`;
  const { items, total } = (await api.as(owner).get(path, { limit: 500 }).expect(200)).body as {
    items: ActivityEntry[];
    total: number;
  };
  if (total > items.length) throw new Error(`the first ${items.length} of ${total} entries are not enough`);
  return items.reverse();
}
