import type { Tokens } from '@operational-events/client';
import { useNavigate } from '@tanstack/react-router';
import { takeOver } from '../../api/session.js';

/** What follows a sign-in: its tokens are taken over, and the person goes on to where they wanted. */
export function useSignedIn(next: string | undefined): (tokens: Tokens) => Promise<void> {
  const navigate = useNavigate();
  return async (tokens) => {
    await takeOver(tokens);
    await navigate({ to: next ?? '/', replace: true });
  };
}
