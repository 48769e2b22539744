import { createClient, Session } from '@operational-events/client';

/**
 * For sign-ins alone: its session is thrown away, since what it gets is handed over to the keeper of refresh tokens before the page
 * goes on.
 */
export const signInApi = createClient({ url: location.origin, session: new Session(), retries: 0 });
