import { describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { app } from './api-app.js';

const TOKEN = 'the-token-of-this-test-suite';
const MINUTE_MS = 60_000;

const moveClock = (of: TestApp, ms: number): Test =>
  of.request().post('/internal/test/clock').query({ move_ms: ms }).set('X-Test-Control-Token', TOKEN);

describe('The test control of a process', () => {
  it('moves the clock, so that an access token expires', async () => {
    const controlled = await createApiApp({ env: { TEST_CONTROL_TOKEN: TOKEN } });
    try {
      const owner = await ownerWithProject(controlled);
      const me = () => controlled.request().get('/v1/auth/me').set('Authorization', owner.bearer);
      await me().expect(200);
      const { body } = await moveClock(controlled, 16 * MINUTE_MS).expect(200);
      expect(Date.parse((body as { now: string }).now)).toBeGreaterThan(Date.now() + 15 * MINUTE_MS);
      await me().expect(401);
      await moveClock(controlled, -16 * MINUTE_MS).expect(200);
      await me().expect(200);
    } finally {
      await controlled.close();
    }
  });

  it('returns 404 where no token is configured', async () => {
    await moveClock(app, 1).expect(404, { detail: 'Not Found' });
  });
});
