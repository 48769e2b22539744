import { useQueryClient } from '@tanstack/react-query';
import { attemptsKey, channels, destinations } from '../../../api/delivery.js';
import { useCurrentProject } from '../../../shell/current-project.js';

/** Returns a function that refetches the endpoints, and what was sent to them, after an action. */
export function useRefetch(): () => Promise<unknown> {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  const keys = [destinations(project.id).queryKey, channels(project.id).queryKey, attemptsKey(project.id)];
  return () => Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}
