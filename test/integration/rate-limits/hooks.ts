import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ownerWithProject, type Owner } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import type { HookSource } from '../../support/source-hooks.js';
import { createSource } from '../../support/sources.js';

describe('the rate limit of webhooks', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createApiApp({ env: { RATE_LIMIT_OVERRIDES: 'intake=2/3' } });
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  it('counts for the source of a known address, and for the client of an unknown one', async () => {
    const hook = (await createSource(app, owner, { type: 'webhook' })) as HookSource;
    const post = (path: string) =>
      app.request().post(path).set({ Authorization: owner.bearer, 'X-API-Key': owner.apiKey }).send({});
    const statuses = async (path: string, count: number): Promise<number[]> => {
      const answers: number[] = [];
      for (let sent = 0; sent < count; sent += 1) answers.push((await post(path)).status);
      return answers;
    };
    const { pathname } = new URL(hook.hook_url);
    expect(await statuses(pathname, 4)).toEqual([200, 200, 200, 429]);
    expect(await statuses(`/intake/hooks/${'0'.repeat(32)}`, 3)).toEqual([404, 404, 429]);
    await app.backgroundDone();
    expect(await app.rows('SELECT api_key_id, source_id, reason_code, count::int FROM ingestion_failures')).toEqual([
      { api_key_id: null, source_id: hook.id, reason_code: 'rate_limited', count: 1 },
    ]);
  });
});
