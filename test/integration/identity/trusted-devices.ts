import { beforeAll, describe, expect, it } from '@jest/globals';
import { OnCredentialsReset } from '../../../src/modules/identity/sessions/index.js';
import { SecondFactorsModule } from '../../../src/modules/identity/second-factors/index.js';
import { SecondFactorsResetHandler } from '../../../src/modules/identity/second-factors/second-factors-reset.handler.js';
import { Database } from '../../../src/platform/database/database.js';
import type { TestApp } from '../../support/app.js';
import {
  challengeFor,
  forgetUsedCodes,
  get,
  type Guarded,
  guardedByTotp,
  post,
  signIn,
  type Tokens,
  totpCode,
} from '../../support/second-factors.js';

const DEVICES = '/v1/account/trusted-devices';
const ASKED = expect.objectContaining({ mfa_required: true });

export function describeTrustedDevices(service: () => TestApp): void {
  describe('a trusted device', () => {
    let app: TestApp;

    beforeAll(() => {
      app = service();
    });

    const devices = async (bearer: string) => (await get(app, DEVICES, bearer).expect(200)).body as { id: string }[];
    const trusted = async (): Promise<Guarded & { deviceToken: string }> => {
      const actor = await guardedByTotp(app);
      const fields = { otp_code: totpCode(actor.secret), remember_device: 'true' };
      const { trusted_device_token } = (await signIn(app, actor.email, fields).expect(200)).body as Tokens;
      await forgetUsedCodes(app, actor.id);
      return { ...actor, deviceToken: trusted_device_token ?? '' };
    };
    const offered = async (actor: Guarded, trusted_device_token: string): Promise<object> =>
      (await signIn(app, actor.email, { trusted_device_token }).expect(200)).body as object;

    it('is revoked when credentials are reset, which also ends half-finished sign-ins', async () => {
      const actor = await trusted();
      const { challenge_token } = await challengeFor(app, actor.email);
      const part: OnCredentialsReset = app.nest
        .select(SecondFactorsModule)
        .get<OnCredentialsReset>(SecondFactorsResetHandler, { strict: true });
      await app.nest.get(Database).transaction((tx) => part.credentialsReset(actor.id, tx));
      expect(part).toBeInstanceOf(OnCredentialsReset);
      expect(await devices(actor.bearer)).toEqual([]);
      const code = totpCode(actor.secret);
      await post(app, '/v1/auth/mfa/totp/verify', { challenge_token, code }).expect(401, {
        detail: 'Invalid or expired challenge',
      });
      expect(await offered(actor, actor.deviceToken)).toEqual(ASKED);
    });
  });
}
