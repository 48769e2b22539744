import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, Session } from '../../clients/typescript/src/index.js';
import { EventSender } from '../../clients/typescript/src/sender/index.js';
import { type Owner, ownerWithProject } from '../support/actors.js';
import { createApiApp, type TestApp } from '../support/app.js';
import { pythonSender } from '../support/clients/sender-programs.js';
import { cleanUp } from '../support/embedded-database.js';

const EVENTS = 25;
const python = await pythonSender({ fetch: false });

describe('A client of the service', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createApiApp();
    owner = await ownerWithProject(app);
  });
  afterEach(cleanUp);
  afterAll(() => app.close());

  it('sends events in batches from TypeScript, and reads them back with the tokens of a session', async () => {
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

  const itWithPython = python.absent === undefined ? it : it.skip;
  const inPython = `sends events in batches from Python${python.absent === undefined ? '' : `: ${python.absent}`}`;
  itWithPython(inPython, async () => {
    const { apiKey, projectId } = await ownerWithProject(app);
    const sender = await python.start({ url: app.url, apiKey, maxBatchEvents: 10 });
    await sender.send(Array.from({ length: EVENTS }, (_, n) => ({ event_type: 'order.paid', payload: { n } })));
    expect(await sender.flushAll()).toEqual({ pending: 0, losses: [], isDone: true });
    expect(await app.rows('SELECT id FROM events WHERE project_id = $1', [projectId])).toHaveLength(EVENTS);
  });
});
