import { createClient } from '@operational-events/client';
import { renew, session } from './session.js';

/**
 * The client of the service that serves this page. It waits at most 5 seconds for a limit to pass; a longer wait is
 * reported at once.
 */
export const api = createClient({ url: location.origin, session, refresh: renew, retries: 2, longestWaitMs: 5_000 });
