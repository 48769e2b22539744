import { createClient } from '@operational-events/client';
import { renew, session } from './session.js';
import { observedFetch } from './waiting.js';

/**
 * The client of the service that serves this page. It waits at most 5 seconds for a limit to pass; a longer wait is
 * reported at once. Queries are then tried again (`routes/around.ts`); actions are not.
 */
export const api = createClient({
  url: location.origin,
  session,
  refresh: renew,
  retries: 2,
  longestWaitMs: 5_000,
  fetch: observedFetch,
});
