import type { Tokens } from '@operational-events/client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { takeOver } from '../../api/session.js';

/**
 * Returns a function for the time after a sign-in. It stores the session, clears what another person has read in this
 * tab, and navigates to where the person wanted to go.
 */
export function useSignedInAs(): (tokens: Tokens, next: string | undefined) => Promise<void> {
  const router = useRouter();
  const queries = useQueryClient();
  return async (tokens, next) => {
    await takeOver(tokens);
    queries.clear();
    router.clearCache();
    await router.navigate({ to: next ?? '/', replace: true });
  };
}
