import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StreamClient } from '../../support/event-stream.js';
import { api, type Caller, service, type Tenant, tenant } from '../../support/service.js';
import { openStream } from '../../support/stream-api.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const KINDS = [
  ['/v1/logs/stream', 'log'],
  ['/v1/events/stream', 'event'],
] as const;

describe.each(KINDS)('the event stream %s', (path, type) => {
  let acme: Tenant;
  const clients: StreamClient[] = [];

  beforeEach(async () => {
    acme = await tenant({ projectName: 'Tea House' });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  async function open(): Promise<StreamClient> {
    const client = await openStream(`${path}?project_id=${acme.projectId}`, acme.owner);
    clients.push(client);
    return client;
  }

  async function ingest(more: object = {}): Promise<string> {
    const event = { event_type: 'e', source: 's', ...more };
    const { body } = await api.as(acme.key).post('/v1/events/ingest', event).expect(200);
    return (body as { ingested_event_id: string }).ingested_event_id;
  }

  const ascends = (rows: readonly { id: string; timestamp: string }[]): boolean =>
    rows.every(
      (row, index) => index === 0 || rows[index - 1]!.timestamp + rows[index - 1]!.id < row.timestamp + row.id,
    );

  it('sends the rows of the list, the oldest first, then each new event, in frames of data alone', async () => {
    const timestamp = new Date(Date.now() - 60_000).toISOString();
    const ids = [await ingest({ timestamp }), await ingest({ timestamp }), await ingest()];
    const client = await open();
    expect(client.status).toBe(200);
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    await client.until(({ ids }) => ids.length === 3);
    ids.push(await ingest({ event_type: 'new', message: 'line\nbreak' }));
    await client.until(({ ids }) => ids.length === 4);
    expect(client.ids).toEqual(ids);
    expect(ascends(client.rows)).toBe(true);
    await client.until(({ messages }) => messages.at(-1)?.type === 'heartbeat');
    expect(client.text).toMatch(/^(data: \{"type":"(log|event|heartbeat)",[^\n]+\}\n\n)+$/);
    expect(client.messages[0]?.type).toBe(type);
    expect(client.heartbeats.at(-1)).toEqual({ type: 'heartbeat', timestamp: expect.any(Number) });
    expect(Math.abs((client.heartbeats.at(-1)?.timestamp ?? 0) - Date.now())).toBeLessThan(60_000);

    const query = { project_id: acme.projectId };
    const { body } = await api.as(acme.owner).get(path.replace('/stream', ''), query).expect(200);
    const rows = (Array.isArray(body) ? body : (body as { items: unknown[] }).items) as unknown[];
    const streamed = client.messages.filter((message) => message.type === type);
    expect(streamed.map((message) => message[type])).toEqual([...rows].reverse());
    expect(Object.keys(streamed[0] ?? {})).toEqual(['type', type]);
  });

  it('sends heartbeats while the project has no events', async () => {
    const client = await open();
    await client.until(({ messages }) => messages.length >= 2);
    expect(client.messages.map((message) => message.type)).toEqual(['heartbeat', 'heartbeat']);
  });

  it('answers HEAD with the headers alone', async () => {
    // `api` has no HEAD.
    const headers = await new Promise<unknown>((resolve, reject) => {
      httpRequest(
        `${service.url}${path}?project_id=${acme.projectId}`,
        { method: 'HEAD', headers: { Authorization: `Bearer ${acme.owner.accessToken}` } },
        (response) => {
          response.resume().on('end', () => resolve([response.statusCode, response.headers['content-type']]));
        },
      )
        .on('error', reject)
        .end();
    });
    expect(headers).toEqual([200, 'text/event-stream']);
  });

  it('refuses members of other projects, unknown projects, malformed requests and invalid tokens', async () => {
    const ask = (query: object, caller: Caller = acme.owner) => api.as(caller).get(path, query);
    const globex = await tenant();
    await ask({ project_id: acme.projectId }, globex.owner).expect(403, { detail: 'Not a project member' });
    await ask({ project_id: NOWHERE }).expect(404, { detail: 'Project not found' });
    await ask({ project_id: 'x' }).expect(422);
    await ask({}).expect(422);
    await ask({ project_id: acme.projectId }, { accessToken: 'x.y.z' }).expect(401);
  });
});
