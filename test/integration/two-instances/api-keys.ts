import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../../../src/platform/clock/index.js';
import { type Actor, type Owner, ownerWithProject } from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { callerOf, ingest, type KeyRecord, setPlan, type Verb } from '../../support/sources.js';
import type { Instances } from './instances.js';

export function describeApiKeys(instances: () => Instances): void {
  describe('an API key', () => {
    let app: TestApp;
    /** Another instance of the service. */
    let second: TestApp;
    let owner: Owner;

    beforeAll(async () => {
      ({ app, second } = instances());
      owner = await ownerWithProject(app);
      await setPlan(app, owner, 'scale');
    });

    const keys = (verb: Verb, rest = '', body?: object, as: Actor = owner) =>
      callerOf(app, '/v1/api-keys', as)(verb, rest, body);
    const create = async (body: object = {}): Promise<KeyRecord> =>
      (await keys('post', '', { project_id: owner.projectId, name: 'Key', ...body }).expect(201)).body as KeyRecord;
    const revoke = (id: string) => keys('post', `/${id}/revoke`);
    const list = async (query = ''): Promise<KeyRecord[]> =>
      (await keys('get', `?project_id=${owner.projectId}${query}`).expect(200)).body as KeyRecord[];
    const one = async (id: string): Promise<KeyRecord | undefined> => (await list()).find((key) => key.id === id);
    const own = (key: string, on = app) => on.request().get('/v1/api-keys/me').set('X-API-Key', key);
    const ahead = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

    it('is refused as soon as it is revoked, here and on another instance', async () => {
      const { id, key } = await create();
      const onSecond = () => second.request().get('/v1/api-keys/me').set('X-API-Key', key);
      await ingest(app, key).expect(200);
      await onSecond().expect(200);
      expect((await revoke(id).expect(200)).body).toMatchObject({ id, status: 'revoked' });
      await ingest(app, key).expect(403, { detail: 'API key is not active' });
      expect((await revoke(id).expect(200)).body).toMatchObject({ id, status: 'revoked' });
      const statuses: number[] = [];
      while (statuses.at(-1) !== 401 && statuses.length < 500) statuses.push((await onSecond()).status);
      expect(statuses.at(-1)).toBe(401);
    });

    it('expires by itself, also while it is in use', async () => {
      const expires_at = ahead(600);
      const { id, key } = await create({ expires_at });
      const clock = jest.spyOn(app.nest.get(Clock), 'now');
      try {
        // It is in the cache from then on, for longer than it lives.
        clock.mockImplementation(() => new Date(Date.parse(expires_at) - 1));
        await own(key).expect(200);
        clock.mockImplementation(() => new Date(Date.parse(expires_at)));
        await own(key).expect(401);
        expect(await one(id)).toMatchObject({ status: 'expired' });
      } finally {
        clock.mockRestore();
      }
    });

    it('is rotated and narrowed on other instances, too', async () => {
      const answered = (answerOf: () => PromiseLike<{ status: number }>, status: number): Promise<number> =>
        eventually(
          async () => (await answerOf()).status,
          (last) => last === status,
        );
      const rotated = await create();
      await own(rotated.key, second).expect(200);
      const fresh = (await keys('post', `/${rotated.id}/rotate`).expect(200)).body as KeyRecord;
      await own(rotated.key).expect(401);
      await own(fresh.key, second).expect(200);
      await answered(() => own(rotated.key, second), 401);

      const narrowed = await create();
      await ingest(second, narrowed.key).expect(200);
      await keys('patch', `/${narrowed.id}`, { scopes: ['events:read'] }).expect(200);
      await ingest(app, narrowed.key).expect(403, { detail: 'Missing required scope: events:write' });
      await answered(() => ingest(second, narrowed.key), 403);
    });
  });
}
