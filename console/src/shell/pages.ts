import type { IconName } from '../parts/icons.js';

const BASE = '/o/$organization/p/$project';

/** The pages of a project, grouped by purpose. The navigation and the search show them. */
export const PAGES = [
  {
    group: 'Watch',
    pages: [
      { to: BASE, label: 'Overview', icon: 'overview' },
      { to: `${BASE}/logs`, label: 'Logs', icon: 'logs' },
      { to: `${BASE}/events`, label: 'Explorer', icon: 'explorer' },
      { to: `${BASE}/analytics`, label: 'Analytics', icon: 'chart' },
      { to: `${BASE}/performance`, label: 'Performance', icon: 'gauge' },
      { to: `${BASE}/eql`, label: 'Query', icon: 'query' },
    ],
  },
  {
    group: 'Alerting',
    pages: [
      { to: `${BASE}/alerts`, label: 'Alerts', icon: 'bell' },
      { to: `${BASE}/alert-rules`, label: 'Alert rules', icon: 'rule' },
      { to: `${BASE}/silences`, label: 'Silences', icon: 'mute' },
      { to: `${BASE}/sentinel`, label: 'Sentinel', icon: 'shield' },
    ],
  },
  {
    group: 'Delivery',
    pages: [
      { to: `${BASE}/destinations`, label: 'Destinations', icon: 'target' },
      { to: `${BASE}/alert-deliveries`, label: 'Alert deliveries', icon: 'sent' },
      { to: `${BASE}/channels`, label: 'Channels', icon: 'channel' },
      { to: `${BASE}/delivery-history`, label: 'Delivery history', icon: 'past' },
      { to: `${BASE}/dead-letters`, label: 'Dead letters', icon: 'dead' },
      { to: `${BASE}/retries`, label: 'Retries', icon: 'again' },
    ],
  },
  {
    group: 'Project',
    pages: [
      { to: `${BASE}/sources`, label: 'Sources', icon: 'source' },
      { to: `${BASE}/keys`, label: 'API keys', icon: 'key' },
      { to: `${BASE}/secrets`, label: 'Secrets', icon: 'secret' },
      { to: `${BASE}/files`, label: 'Files', icon: 'folder' },
      { to: `${BASE}/members`, label: 'Project members', icon: 'people' },
      { to: `${BASE}/activity`, label: 'Activity', icon: 'activity' },
      { to: `${BASE}/settings`, label: 'Settings', icon: 'settings' },
      { to: `${BASE}/first-event`, label: 'First steps', icon: 'rocket' },
    ],
  },
  {
    group: 'Organization',
    pages: [
      { to: `${BASE}/organization/members`, label: 'Members', icon: 'people' },
      { to: `${BASE}/organization/invitations`, label: 'Invitations', icon: 'mail' },
      { to: `${BASE}/organization/billing`, label: 'Billing', icon: 'card' },
    ],
  },
] as const satisfies readonly {
  group: string;
  pages: readonly { to: string; label: string; icon: IconName }[];
}[];
