import { createClient, Session } from '@operational-events/client';

/**
 * A client for sign-ins only. Its session is discarded, because its tokens are given to the session endpoint before the
 * page continues.
 */
export const signInApi = createClient({ url: location.origin, session: new Session(), retries: 0 });
