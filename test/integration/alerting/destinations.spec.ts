import { describe, expect, it } from '@jest/globals';
import { ownerWithProject } from '../../support/actors.js';
import { alertsOf } from '../../support/alerts.js';
import { createApiApp } from '../../support/app.js';
import { DELIVERY_ENV } from '../../support/delivery.js';

const SECRET = 'a-secret-as-it-was-typed-ü';
const SLACK = 'https://hooks.slack.com/services/T000/B000/slackpathsecret';

describe('an alert destination without credential encryption', () => {
  it('returns 503 with a secret or a Slack address, and is created when there is nothing to encrypt', async () => {
    const app = await createApiApp({ env: { ...DELIVERY_ENV, CREDENTIAL_ENCRYPTION_KEYS: 'disabled' } });
    try {
      const alerts = alertsOf(app, await ownerWithProject(app));
      const refusal = { detail: 'Protected alert destination credentials are unavailable' };
      for (const body of [
        { target_url: 'https://example.com/', secret: SECRET },
        { target_url: SLACK, type: 'slack' },
      ]) {
        const answer = await alerts.create(body);
        expect([answer.status, answer.body]).toEqual([503, refusal]);
      }
      expect((await alerts.create({ target_url: 'http://127.0.0.1:1/' })).status).toBe(201);
    } finally {
      await app.close();
    }
  });
});
