import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Actor, addMember, login, type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { StreamClient } from '../../support/event-stream.js';
import type { Instances } from './instances.js';

const LOGS = '/v1/logs/stream';
const EVENTS = '/v1/events/stream';

export function describeEventStreams(instances: () => Instances): void {
  describe('an event stream of one of two instances', () => {
    let app: TestApp;
    let other: TestApp;
    let owner: Owner;
    let viewer: Actor;
    /** A stream of the viewer on each of the two instances. */
    let streams: StreamClient[];
    /** A stream of the owner, which does not end with those of the viewer. */
    let bystander: StreamClient;
    const clients: StreamClient[] = [];

    beforeAll(() => {
      ({ app, second: other } = instances());
    });
    afterEach(() => {
      for (const client of clients.splice(0)) client.close();
    });

    async function open(
      { projectId }: Pick<Owner, 'projectId'>,
      who: Actor,
      path: string = LOGS,
      on = app,
    ): Promise<StreamClient> {
      const client = await StreamClient.open(on, `${path}?project_id=${projectId}`, who.bearer);
      clients.push(client);
      return client;
    }

    async function ingest(who: Owner): Promise<string> {
      const answer = await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', who.apiKey)
        .send({ event_type: 'e', source: 's' })
        .expect(200);
      return (answer.body as { ingested_event_id: string }).ingested_event_id;
    }

    async function begin(): Promise<void> {
      owner = await ownerWithProject(app);
      viewer = await addMember(app, owner, 'viewer');
      bystander = await open(owner, owner);
      streams = [await open(owner, viewer), await open(owner, viewer, EVENTS, other)];
      await Promise.all(streams.map((stream) => stream.until(({ heartbeats }) => heartbeats.length > 0)));
    }
    const ended = async (): Promise<void> => {
      expect(await Promise.all(streams.map(({ over }) => over))).toEqual(['ended', 'ended']);
    };
    const livesOn = async (): Promise<void> => {
      const id = await ingest(owner);
      await bystander.until(({ ids }) => ids.includes(id));
    };
    const as = (who: Actor) => ({ Authorization: who.bearer });

    it('ends when its reader is removed from the organization, while the stream of another member continues', async () => {
      await begin();
      await app
        .request()
        .delete(`/v1/organizations/${owner.organizationId}/members/${viewer.id}`)
        .set(as(owner))
        .expect(200);
      await ended();
      await livesOn();
    });

    it('ends when its reader is removed from the project, while the stream of another member continues', async () => {
      await begin();
      await app.request().delete(`/v1/projects/${owner.projectId}/members/${viewer.id}`).set(as(owner)).expect(204);
      await ended();
      await livesOn();
    });

    it('ends when its reader signs out, while a stream of another session of the reader continues', async () => {
      await begin();
      const again = await login(app, viewer.email);
      const kept = await open(owner, again);
      await app.request().post('/v1/auth/logout').send({ refresh_token: viewer.refreshToken }).expect(200);
      await ended();
      await livesOn();
      const id = await ingest(owner);
      await kept.until(({ ids }) => ids.includes(id));
    });

    it('continues when the project is archived, and ends for every reader when the project is deleted', async () => {
      await begin();
      await app.request().post(`/v1/projects/${owner.projectId}/archive`).set(as(owner)).expect(200);
      await bystander.until(({ heartbeats }) => heartbeats.length > 1);
      await app.request().delete(`/v1/projects/${owner.projectId}`).set(as(owner)).expect(204);
      await ended();
      expect(await bystander.over).toBe('ended');
    });

    it('continues when the role of its reader changes', async () => {
      await begin();
      await app
        .request()
        .patch(`/v1/organizations/${owner.organizationId}/members/${viewer.id}`)
        .set(as(owner))
        .send({ role: 'member' })
        .expect(200);
      const id = await ingest(owner);
      await Promise.all(streams.map((stream) => stream.until(({ ids }) => ids.includes(id))));
    });

    it('ends when its instance stops', async () => {
      const third = await createApiApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
      owner = await ownerWithProject(app);
      const client = await open(owner, owner, LOGS, third);
      await third.close();
      expect(await client.over).toBe('ended');
    });
  });
}
