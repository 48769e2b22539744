import type { IconName } from '../parts/icons.js';

const BASE = '/o/$organization/p/$project';

/**
 * The areas of a project, grouped by purpose. The navigation shows the areas, each area shows its pages as tabs, and
 * the search shows all pages. The first page of an area is its start.
 */
export const GROUPS = [
  {
    group: null,
    areas: [{ area: 'Home', icon: 'overview', key: 'h', pages: [{ to: BASE, label: 'Overview' }] }],
  },
  {
    group: 'Observe',
    areas: [
      {
        area: 'Logs',
        icon: 'logs',
        key: 'l',
        pages: [{ to: `${BASE}/logs`, label: 'Logs' }],
      },
      {
        area: 'Explore',
        icon: 'chart',
        key: 'e',
        pages: [
          { to: `${BASE}/analytics`, label: 'Analytics' },
          { to: `${BASE}/eql`, label: 'Query' },
        ],
      },
      {
        area: 'Dashboards',
        icon: 'dashboard',
        key: 'd',
        pages: [{ to: `${BASE}/dashboards`, label: 'Dashboards' }],
      },
      {
        area: 'Performance',
        icon: 'gauge',
        key: 'p',
        pages: [{ to: `${BASE}/performance`, label: 'Performance' }],
      },
    ],
  },
  {
    group: 'Respond',
    areas: [
      {
        area: 'Alerts',
        icon: 'bell',
        key: 'a',
        pages: [
          { to: `${BASE}/alerts`, label: 'Alerts' },
          { to: `${BASE}/alert-rules`, label: 'Alert rules' },
          { to: `${BASE}/silences`, label: 'Silences' },
        ],
      },
      { area: 'Sentinel', icon: 'shield', key: 's', pages: [{ to: `${BASE}/sentinel`, label: 'Sentinel' }] },
    ],
  },
  {
    group: 'Deliver',
    areas: [
      {
        area: 'Deliveries',
        icon: 'sent',
        key: 'v',
        pages: [
          { to: `${BASE}/attempts`, label: 'Attempts' },
          { to: `${BASE}/endpoints`, label: 'Endpoints' },
          { to: `${BASE}/dead-letters`, label: 'Dead letters' },
          { to: `${BASE}/retries`, label: 'Retries' },
        ],
      },
    ],
  },
  {
    group: 'Manage',
    areas: [
      {
        area: 'Sources & keys',
        icon: 'key',
        key: 'k',
        pages: [
          { to: `${BASE}/sources`, label: 'Sources' },
          { to: `${BASE}/keys`, label: 'API keys' },
        ],
      },
      {
        area: 'Settings',
        icon: 'settings',
        key: null,
        pages: [
          { to: `${BASE}/settings`, label: 'Settings' },
          { to: `${BASE}/secrets`, label: 'Secrets' },
          { to: `${BASE}/files`, label: 'Files' },
          { to: `${BASE}/members`, label: 'Project members' },
          { to: `${BASE}/activity`, label: 'Activity' },
          { to: `${BASE}/organization/members`, label: 'Members' },
          { to: `${BASE}/organization/invitations`, label: 'Invitations' },
          { to: `${BASE}/organization/sign-in`, label: 'Sign-in' },
          { to: `${BASE}/organization/billing`, label: 'Billing' },
        ],
      },
    ],
  },
] as const satisfies readonly {
  group: string | null;
  areas: readonly {
    area: string;
    icon: IconName;
    /** Opens the area after the key g. */
    key: string | null;
    pages: readonly { to: string; label: string }[];
  }[];
}[];

export const AREAS = GROUPS.flatMap(({ areas }): readonly Area[] => areas);
export type Area = (typeof GROUPS)[number]['areas'][number];
export type ProjectPage = Area['pages'][number];

/** Returns the area and the page of an address. Pages of single things belong to the page of their list. */
export function placeOf(pathname: string): { readonly area: Area; readonly page: ProjectPage } | undefined {
  // The first four segments name the organization and the project.
  const rest = `${BASE}/${pathname.split('/').slice(5).join('/')}`.replace(/\/$/, '');
  for (const area of AREAS) {
    const pages: readonly ProjectPage[] = area.pages;
    const page = pages.find(({ to }) => rest === to || (to !== BASE && rest.startsWith(`${to}/`)));
    if (page !== undefined) return { area, page };
  }
  return undefined;
}
