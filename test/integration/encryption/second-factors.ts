import { describe, expect, it } from '@jest/globals';
import { PASSWORD, signedIn } from '../../support/actors.js';
import { post, registrationOptions } from '../../support/second-factors.js';
import { off } from './instances.js';

describe('a service with its own configuration of second factors', () => {
  it('returns 503 for the setup of an authenticator app while credential encryption is disabled', async () => {
    const actor = await signedIn(off);
    const setup = { current_password: PASSWORD };
    const answer = await post(off, '/v1/account/two-factor/setup', setup, actor.bearer).expect(503);
    expect(answer.body).toEqual({ detail: 'Two-factor setup is unavailable' });
  });

  it('shows the name of WEBAUTHN_RP_NAME to authenticators', async () => {
    const { bearer } = await signedIn(off);
    const { options } = await registrationOptions(off, bearer);
    expect(options).toMatchObject({ rp: { id: 'localhost', name: 'Events' } });
  });
});
