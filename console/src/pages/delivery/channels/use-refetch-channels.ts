import { useQueryClient } from '@tanstack/react-query';
import { channels } from '../../../api/delivery.js';
import { useCurrentProject } from '../../../shell/current-project.js';

/** Returns a function that refetches the list after an action. */
export function useRefetchChannels(): () => Promise<void> {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: channels(project.id).queryKey });
}
