import type { Schemas } from '@operational-events/client';
import { queryOptions } from '@tanstack/react-query';
import { Explained } from '../parts/failures.js';
import { api } from './client.js';

type View = Schemas['SavedViewResponse'];

/** Interval in which changes by other people become visible. */
const OTHERS_MS = 30_000;

/** The service accepts names of 200 characters. A copy has a few more than its original. */
const MAX_NAME_CHARACTERS = 180;

/** The prefix of the keys of saved views of every kind. */
export const savedViewsKey = (project_id: string) => ['project', project_id, 'saved-views'] as const;

/** The saved views of one kind, newest first. */
export const savedViewsOf = (project_id: string, kind: Schemas['SavedViewKind']) =>
  queryOptions({
    queryKey: [...savedViewsKey(project_id), kind],
    queryFn: ({ signal }) => api.listSavedViews({ path: { project_id }, query: { kind } }, { signal }),
    ...(kind === 'dashboard' && { refetchInterval: OTHERS_MS }),
  });

/** Somebody else has changed the dashboard since it was read. */
export class ChangedMeanwhile extends Explained {
  override readonly name = 'ChangedMeanwhile';

  /** @param latest undefined when the dashboard was deleted */
  constructor(readonly latest: View | undefined) {
    super(`Somebody else has ${latest === undefined ? 'deleted' : 'changed'} this dashboard meanwhile.`);
  }
}

/** Returns whether the panels and variables of two states of a dashboard are equal. Its name does not matter. */
export function hasSameContent(one: View, other: View): boolean {
  return JSON.stringify(one.filters) === JSON.stringify(other.filters);
}

async function latestOf({ id, project_id }: Pick<View, 'id' | 'project_id'>): Promise<View> {
  const known = await api.listSavedViews({ path: { project_id }, query: { kind: 'dashboard' } });
  const latest = known.find((each) => each.id === id);
  if (latest === undefined) throw new ChangedMeanwhile(undefined);
  return latest;
}

const changed = ({ id, project_id }: View, filters: View['filters']): Promise<View> =>
  api.updateSavedView({ path: { project_id, view_id: id }, body: { filters } });

/**
 * Replaces the content of a dashboard. The service lets the last of several changes win, so the latest state is compared
 * first. @throws ChangedMeanwhile when it is no longer the state that was edited
 */
export async function saveDashboard(base: View, filters: View['filters']): Promise<View> {
  const latest = await latestOf(base);
  if (!hasSameContent(latest, base)) throw new ChangedMeanwhile(latest);
  return changed(latest, filters);
}

/** Changes the latest content of a dashboard. @throws ChangedMeanwhile when it was deleted */
export async function changeLatest(
  view: Pick<View, 'id' | 'project_id'>,
  change: (filters: View['filters']) => View['filters'],
): Promise<View> {
  const latest = await latestOf(view);
  return changed(latest, change(latest.filters));
}

export const createDashboard = (project_id: string, name: string, filters: View['filters']): Promise<View> =>
  api.createSavedView({ path: { project_id }, body: { name, kind: 'dashboard', filters } });

/** Returns a name for a copy. Saved views of all kinds have different names. */
export async function nameOfCopy(project_id: string, name: string): Promise<string> {
  const names = (await api.listSavedViews({ path: { project_id } })).map((each) => each.name);
  const base = name.slice(0, MAX_NAME_CHARACTERS);
  for (let number = 1; ; number += 1) {
    const copy = `${base} (copy${number === 1 ? '' : ` ${number}`})`;
    if (!names.includes(copy)) return copy;
  }
}
