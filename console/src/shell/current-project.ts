import { getRouteApi } from '@tanstack/react-router';

const route = getRouteApi('/signed-in/o/$organization/p/$project');

/** The organization and the project that the address names. */
export function useCurrentProject() {
  return route.useLoaderData();
}
