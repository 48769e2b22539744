import { isRefusal, type Schemas } from '@operational-events/client';
import { hashKey, type QueryClient, queryOptions } from '@tanstack/react-query';
import { Explained } from '../parts/failures.js';
import { api } from './client.js';

type View = Schemas['SavedViewResponse'];

/** How often dashboards are read, which shows the changes of other people. */
const READ_EVERY_MS = 300_000;
/** The same while somebody edits one here. */
export const READ_WHILE_EDITING_EVERY_MS = 30_000;

/** The service accepts names of 200 characters. A copy has a few more than its original. */
const MAX_NAME_CHARACTERS = 180;

/** The prefix of the keys of saved views of every kind. */
export const savedViewsKey = (project_id: string) => ['project', project_id, 'saved-views'] as const;

/** The saved views of one kind, newest first. */
export const savedViewsOf = (project_id: string, kind: Schemas['SavedViewKind']) =>
  queryOptions({
    queryKey: [...savedViewsKey(project_id), kind],
    queryFn: ({ signal }) => api.listSavedViews({ path: { project_id }, query: { kind } }, { signal }),
    ...(kind === 'dashboard' && { refetchInterval: READ_EVERY_MS }),
  });

/** Shows a new or changed dashboard at once. Reads that have begun before may not know it. */
export async function showDashboard(queries: QueryClient, view: View): Promise<void> {
  const queryKey = savedViewsKey(view.project_id);
  await queries.cancelQueries({ queryKey });
  queries.setQueryData(savedViewsOf(view.project_id, 'dashboard').queryKey, (known) =>
    known?.some(({ id }) => id === view.id) === true
      ? known.map((each) => (each.id === view.id ? view : each))
      : known && [view, ...known],
  );
  void queries.invalidateQueries({ queryKey });
}

/** Somebody else has changed the dashboard since it was read. */
export class ChangedMeanwhile extends Explained {
  override readonly name = 'ChangedMeanwhile';

  constructor(what: 'changed' | 'deleted') {
    super(`Somebody else has ${what} this dashboard meanwhile.`);
  }
}

/** Returns whether the contents of two dashboards are equal. The database stores the members in another order. */
export function isSameContent(one: View['filters'], other: View['filters']): boolean {
  return hashKey([one]) === hashKey([other]);
}

async function latestOf({ id, project_id }: Pick<View, 'id' | 'project_id'>): Promise<View> {
  const known = await api.listSavedViews({ path: { project_id }, query: { kind: 'dashboard' } });
  const latest = known.find((each) => each.id === id);
  if (latest === undefined) throw new ChangedMeanwhile('deleted');
  return latest;
}

/** @throws ChangedMeanwhile when somebody else was faster */
async function changed({ id, project_id, updated_at }: View, filters: View['filters']): Promise<View> {
  try {
    return await api.updateSavedView({
      path: { project_id, view_id: id },
      body: { filters, if_updated_at: updated_at },
    });
  } catch (error) {
    const isLate = isRefusal(error) && error.detail === 'Saved view has changed meanwhile';
    throw isLate ? new ChangedMeanwhile('changed') : error;
  }
}

/** How often a change is tried while other people change the same dashboard. */
const MAX_TRIES = 3;

/** Changes the latest content of a dashboard. @throws ChangedMeanwhile when it was deleted, or is changed all the time */
export async function changeLatest(
  view: Pick<View, 'id' | 'project_id'>,
  change: (filters: View['filters']) => View['filters'],
  tries = MAX_TRIES,
): Promise<View> {
  const latest = await latestOf(view);
  const filters = change(latest.filters);
  try {
    return await changed(latest, filters);
  } catch (error) {
    if (tries > 1 && error instanceof ChangedMeanwhile) return changeLatest(view, change, tries - 1);
    throw error;
  }
}

/** Replaces the content of a dashboard. @throws ChangedMeanwhile when it is no longer the content that was edited */
export const saveDashboard = (base: View, filters: View['filters']): Promise<View> =>
  changeLatest(base, (latest) => {
    if (![base.filters, filters].some((each) => isSameContent(each, latest))) throw new ChangedMeanwhile('changed');
    return filters;
  });

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
