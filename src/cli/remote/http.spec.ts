import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Api, exchange } from './http.js';

describe('a request of the command line', () => {
  const servers: Server[] = [];

  /** Starts a service that answers every request with this status and these headers. */
  async function serving(status: number, headers: Record<string, string> = {}) {
    const credentials: unknown[] = [];
    const server = createServer((request, response) => {
      credentials.push(request.headers['x-api-key']);
      response.writeHead(status, headers).end('{}');
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, credentials };
  }

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  });

  it('follows no redirect, which would send the credentials to another address', async () => {
    const other = await serving(200);
    const service = await serving(307, { location: `${other.address}/v1/events/ingest` });
    const call = { method: 'POST', path: '/v1/events/ingest', headers: { 'x-api-key': 'oes_key' } } as const;
    expect((await exchange(service.address, call)).status).toBe(307);
    expect([service.credentials, other.credentials]).toEqual([['oes_key'], []]);
  });

  it('fails with the status of a redirect', async () => {
    const other = await serving(200);
    const { address } = await serving(302, { location: other.address });
    const api = new Api(address, { headers: async () => ({ 'x-api-key': 'oes_key' }), renew: async () => false });
    await expect(api.get('/v1/projects')).rejects.toMatchObject({ status: 302 });
    expect(other.credentials).toEqual([]);
  });
});
