import type { Tokens } from '@operational-events/client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { takeOver } from '../../api/session.js';

/**
 * What follows a sign-in: its tokens are taken over, what somebody else has read in this tab before is forgotten, and the person goes
 * on to where they wanted.
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
