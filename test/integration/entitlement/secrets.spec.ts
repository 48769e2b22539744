import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV } from '../../support/delivery.js';
import { secretsOf } from '../../support/secrets.js';

describe('a secret of a project', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createApiApp({ env: DELIVERY_ENV });
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  it('is listed and deleted, but not stored, while encryption is switched off', async () => {
    const id = await secretsOf(app, owner).made('KEPT', 'value');
    const off = await createApiApp({
      env: { ...DELIVERY_ENV, CREDENTIAL_ENCRYPTION_KEYS: 'disabled' },
      databaseUrl: app.databaseUrl,
      dataDir: app.dataDir,
    });
    try {
      const there = secretsOf(off, owner);
      for (const answer of [await there.create('NEW', 'x'), await there.replace(id, 'x')])
        expect([answer.status, answer.body]).toEqual([503, { detail: 'Secrets are unavailable' }]);
      expect((await there.list()).body).toEqual([expect.objectContaining({ id, version: 1 })]);
      expect((await there.delete(id)).status).toBe(204);
    } finally {
      await off.close();
    }
  });
});
