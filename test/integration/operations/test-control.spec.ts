import { afterEach, describe, expect, it } from '@jest/globals';
import { ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';

const TOKEN = 'the-token-of-this-test-suite';
const MINUTE_MS = 60_000;

describe('The test control of a process', () => {
  let app: TestApp;

  afterEach(() => app.close());

  const moveClock = (ms: number) =>
    app.request().post('/internal/test/clock').query({ move_ms: ms }).set('X-Test-Control-Token', TOKEN);

  it('moves the clock, so that an access token expires', async () => {
    app = await createApiApp({ env: { TEST_CONTROL_TOKEN: TOKEN } });
    const owner = await ownerWithProject(app);
    const me = () => app.request().get('/v1/auth/me').set('Authorization', owner.bearer);
    await me().expect(200);
    const { body } = await moveClock(16 * MINUTE_MS).expect(200);
    expect(Date.parse((body as { now: string }).now)).toBeGreaterThan(Date.now() + 15 * MINUTE_MS);
    await me().expect(401);
    await moveClock(-16 * MINUTE_MS).expect(200);
    await me().expect(200);
  });

  it('returns 404 where no token is configured', async () => {
    app = await createApiApp();
    await moveClock(1).expect(404, { detail: 'Not Found' });
  });
});
