import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, Session } from '../../clients/typescript/src/index.js';
import { EventSender } from '../../clients/typescript/src/sender/index.js';
import { type Owner, ownerWithProject } from '../support/actors.js';
import { createTestApp, type TestApp } from '../support/app.js';

const EVENTS = 25;

describe('The TypeScript client', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  it('sends events in batches, and reads them back with the tokens of a session', async () => {
    const sender = new EventSender({ url: app.url, apiKey: owner.apiKey, source: 'shop', flushOnExit: false });
    for (let n = 0; n < EVENTS; n += 1) sender.send({ event_type: 'order.paid', payload: { n } });
    expect(await sender.flush()).toBe(true);
    await sender.close();

    const tokens = { access_token: owner.accessToken, refresh_token: owner.refreshToken };
    const api = createClient({ url: app.url, session: new Session(tokens) });
    const { id } = await api.getProject({ path: { project_id: owner.projectId } });
    expect(id).toBe(owner.projectId);
    const logs = await api.listLogs({ query: { project_id: owner.projectId, limit: 100 } });
    expect(logs).toHaveLength(EVENTS);
  });
});
