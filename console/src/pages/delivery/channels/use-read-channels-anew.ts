import { useQueryClient } from '@tanstack/react-query';
import { channels } from '../../../api/delivery.js';
import { useCurrentProject } from '../../../shell/current-project.js';

/** Reads the list anew after an act. */
export function useReadChannelsAnew(): () => Promise<void> {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: channels(project.id).queryKey });
}
