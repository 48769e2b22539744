import { createRoute } from '@tanstack/react-router';
import { project } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';
import { textOf } from './search-members.js';

const keys = createRoute({
  getParentRoute: () => project,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/keys/keys.js'), 'KeysPage'),
});
const sources = createRoute({
  getParentRoute: () => project,
  path: '/sources',
  component: lazyRouteComponent(() => import('../pages/sources/sources.js'), 'SourcesPage'),
});
const source = createRoute({
  getParentRoute: () => project,
  path: '/sources/$source',
  component: lazyRouteComponent(() => import('../pages/sources/source.js'), 'SourcePage'),
});
const secrets = createRoute({
  getParentRoute: () => project,
  path: '/secrets',
  component: lazyRouteComponent(() => import('../pages/secrets/secrets.js'), 'SecretsPage'),
});
const files = createRoute({
  getParentRoute: () => project,
  path: '/files',
  validateSearch: ({ prefix }: Record<string, unknown>): { readonly prefix?: string | undefined } => ({
    prefix: textOf(prefix),
  }),
  component: lazyRouteComponent(() => import('../pages/files/files.js'), 'FilesPage'),
});
const members = createRoute({
  getParentRoute: () => project,
  path: '/members',
  component: lazyRouteComponent(() => import('../pages/project/members.js'), 'ProjectMembersPage'),
});
const activity = createRoute({
  getParentRoute: () => project,
  path: '/activity',
  component: lazyRouteComponent(() => import('../pages/project/activity.js'), 'ActivityPage'),
});
const settings = createRoute({
  getParentRoute: () => project,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/project/settings.js'), 'SettingsPage'),
});

/** Pages for what belongs to a project, and for who may do what in it. */
export const owningRoutes = [keys, sources, source, secrets, files, members, activity, settings];
