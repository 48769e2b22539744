import { createClient } from '@operational-events/client';
import { renew, session } from './session.js';

/** Of the service that this page comes from. A person waits at most a few seconds for a limit to pass; longer is told at once. */
export const api = createClient({ url: location.origin, session, refresh: renew, retries: 2, longestWaitMs: 5_000 });
