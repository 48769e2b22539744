import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids/index.js';
import { type Actor, addMember, login, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { StreamClient } from '../../support/event-stream.js';

const KINDS = [
  ['/v1/logs/stream', 'log'],
  ['/v1/events/stream', 'event'],
] as const;

describe('event streams', () => {
  let app: TestApp;
  let owner: Owner;
  const clients: StreamClient[] = [];

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  async function open(
    { projectId }: Pick<Owner, 'projectId'>,
    who: Actor,
    path: string = KINDS[0][0],
    on = app,
  ): Promise<StreamClient> {
    const client = await StreamClient.open(on, `${path}?project_id=${projectId}`, who.bearer);
    clients.push(client);
    return client;
  }

  async function ingest(who: Owner, body: object = {}, on = app): Promise<string> {
    const answer = await on
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', who.apiKey)
      .send({ event_type: 'e', source: 's', ...body })
      .expect(200);
    return (answer.body as { ingested_event_id: string }).ingested_event_id;
  }

  const ascends = (rows: readonly { id: string; timestamp: string }[]): boolean =>
    rows.every(
      (row, index) => index === 0 || rows[index - 1]!.timestamp + rows[index - 1]!.id < row.timestamp + row.id,
    );

  describe.each(KINDS)('%s', (path, type) => {
    beforeAll(async () => {
      owner = await ownerWithProject(app, 'Tea House');
    });

    it('begins with the existing events and goes on with new ones, in frames of data alone', async () => {
      const timestamp = new Date(Date.now() - 60_000).toISOString();
      const ids = [await ingest(owner, { timestamp }), await ingest(owner, { timestamp }), await ingest(owner)];
      const client = await open(owner, owner, path);
      expect(client.status).toBe(200);
      expect(client.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache',
        connection: 'keep-alive',
        'x-accel-buffering': 'no',
        'x-request-id': expect.any(String),
      });
      await client.until(({ ids }) => ids.length === 3);
      ids.push(await ingest(owner, { event_type: 'new', message: 'line\nbreak' }));
      await client.until(({ ids }) => ids.length === 4);
      expect(client.ids).toEqual(ids);
      expect(ascends(client.rows)).toBe(true);
      await client.until(({ messages }) => messages.at(-1)?.type === 'heartbeat');
      expect(client.text).toMatch(/^(data: \{"type":"(log|event|heartbeat)",[^\n]+\}\n\n)+$/);
      expect(client.messages[0]?.type).toBe(type);
      expect(client.heartbeats.at(-1)).toEqual({ type: 'heartbeat', timestamp: expect.any(Number) });
      expect(Math.abs((client.heartbeats.at(-1)?.timestamp ?? 0) - Date.now())).toBeLessThan(60_000);

      const list = await app
        .request()
        .get(path.replace('/stream', ''))
        .set('Authorization', owner.bearer)
        .query({ project_id: owner.projectId })
        .expect(200);
      const rows = (Array.isArray(list.body) ? list.body : (list.body as { items: unknown[] }).items) as unknown[];
      const streamed = client.messages.filter((message) => message.type === type);
      expect(streamed.map((message) => message[type])).toEqual([...rows].reverse());
      expect(Object.keys(streamed[0] ?? {})).toEqual(['type', type]);
    });

    it('beats over an empty project', async () => {
      const empty = await ownerWithProject(app);
      const client = await open(empty, empty, path);
      await client.until(({ messages }) => messages.length >= 2);
      expect(client.messages.map((message) => message.type)).toEqual(['heartbeat', 'heartbeat']);
    });

    it('answers HEAD with the headers alone', async () => {
      const headers = await new Promise<unknown>((resolve, reject) => {
        httpRequest(
          `${app.url}${path}?project_id=${owner.projectId}`,
          { method: 'HEAD', headers: { Authorization: owner.bearer } },
          (response) => {
            response.resume().on('end', () => resolve([response.statusCode, response.headers['content-type']]));
          },
        )
          .on('error', reject)
          .end();
      });
      expect(headers).toEqual([200, 'text/event-stream']);
    });

    it('refuses like any other route', async () => {
      const stranger = await ownerWithProject(app);
      const ask = (query: object, bearer = owner.bearer) =>
        app.request().get(path).set('Authorization', bearer).query(query);
      await ask({ project_id: owner.projectId }, stranger.bearer).expect(403, { detail: 'Not a project member' });
      await ask({ project_id: newId() }).expect(404, { detail: 'Project not found' });
      await ask({ project_id: 'x' }).expect(422);
      await ask({}).expect(422);
      await ask({ project_id: owner.projectId }, 'Bearer x.y.z').expect(401);
    });
  });

  describe('cut off', () => {
    let other: TestApp;
    let viewer: Actor;
    /** A stream of the viewer on each of two instances, and one of the owner that must live on. */
    let streams: StreamClient[];
    let bystander: StreamClient;

    beforeAll(async () => {
      other = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    });
    afterAll(() => other.close());

    async function begin(): Promise<void> {
      owner = await ownerWithProject(app);
      viewer = await addMember(app, owner, 'viewer');
      bystander = await open(owner, owner);
      streams = [await open(owner, viewer), await open(owner, viewer, KINDS[1][0], other)];
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

    it('is a member who is removed from the organization', async () => {
      await begin();
      await app
        .request()
        .delete(`/v1/organizations/${owner.organizationId}/members/${viewer.id}`)
        .set(as(owner))
        .expect(200);
      await ended();
      await livesOn();
    });

    it('is a member who is removed from the project', async () => {
      await begin();
      await app.request().delete(`/v1/projects/${owner.projectId}/members/${viewer.id}`).set(as(owner)).expect(204);
      await ended();
      await livesOn();
    });

    it('is whoever signs out, but not their other sessions', async () => {
      await begin();
      const again = await login(app, viewer.email);
      const kept = await open(owner, again);
      await app.request().post('/v1/auth/logout').send({ refresh_token: viewer.refreshToken }).expect(200);
      await ended();
      await livesOn();
      const id = await ingest(owner);
      await kept.until(({ ids }) => ids.includes(id));
    });

    it('is everybody when the project is deleted', async () => {
      await begin();
      await app.request().post(`/v1/projects/${owner.projectId}/archive`).set(as(owner)).expect(200);
      await bystander.until(({ heartbeats }) => heartbeats.length > 1);
      await app.request().delete(`/v1/projects/${owner.projectId}`).set(as(owner)).expect(204);
      await ended();
      expect(await bystander.over).toBe('ended');
    });

    it('is nobody whose role changes', async () => {
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

    it('is everybody when the service stops', async () => {
      const third = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
      owner = await ownerWithProject(app);
      const client = await open(owner, owner, KINDS[0][0], third);
      await third.close();
      expect(await client.over).toBe('ended');
    });
  });
});
