import { useQueryClient } from '@tanstack/react-query';
import { sourceKey, sources } from '../../api/owning.js';
import { useCurrentProject } from '../../shell/current-project.js';

/** Returns a function that reads a source again, after it has changed. */
export function useSourceRead(id: string): () => Promise<unknown> {
  const queries = useQueryClient();
  const { project } = useCurrentProject();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: sourceKey(id) }),
      queries.invalidateQueries({ queryKey: sources(project.id).queryKey }),
    ]);
}
