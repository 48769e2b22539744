import type { Schemas } from '@operational-events/client';
import { useNavigate } from '@tanstack/react-router';
import type { IconName } from '../parts/icons.js';
import { searchOfView } from '../routes/logs-search.js';
import { useCurrentProject } from './current-project.js';

const BASE = '/o/$organization/p/$project';

type View = Schemas['SavedViewResponse'];

/** The page that each kind of saved view opens. */
const PAGES = {
  view: { to: `${BASE}/logs`, icon: 'logs', name: 'Logs' },
  analysis: { to: `${BASE}/analytics`, icon: 'chart', name: 'Analytics' },
  query: { to: `${BASE}/eql`, icon: 'query', name: 'Query' },
  performance: { to: `${BASE}/performance`, icon: 'gauge', name: 'Performance' },
  dashboard: { to: `${BASE}/dashboards/$dashboard`, icon: 'overview', name: 'Dashboard' },
} as const satisfies Record<Schemas['SavedViewKind'], { to: string; icon: IconName; name: string }>;

export function iconOfView({ kind = 'view' }: Pick<View, 'kind'>): IconName {
  return PAGES[kind].icon;
}

export function nameOfViewPage({ kind = 'view' }: Pick<View, 'kind'>): string {
  return PAGES[kind].name;
}

/** Returns a function that opens a saved view on its page, with its filters. */
export function useShowView(): (view: View) => Promise<void> {
  const { organization, project } = useCurrentProject();
  const navigate = useNavigate();
  return ({ id, kind = 'view', filters }) => {
    const search = kind === 'view' ? searchOfView(filters) : kind === 'dashboard' ? {} : filters;
    const params = { organization: organization.slug, project: project.slug, dashboard: id };
    return navigate({ to: PAGES[kind].to, params, search: search as never });
  };
}
