import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HANG_TIMEOUT_MS } from '../../support/bounds.mjs';
import { cleanUp, cleanups } from '../../support/embedded-database.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase } from '../../support/postgres.js';
import { CLEAN_EXIT, launch, type ServiceProcess, startService, startWorker } from '../../support/service-process.js';
import { temporaryFolder } from '../../support/embedded-database.js';

const DEFAULT_PORT = 9464;

/** Returns a server that keeps a port in use. */
async function listener(port = 0): Promise<Server> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.close();
    await once(server, 'close');
  });
  return server;
}

/** Returns a port that was free a moment ago. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

function operationsUrl({ stdout }: ServiceProcess): string {
  const url = /"operations_url":"(http:[^"]+)"/.exec(stdout)?.[1];
  if (url === undefined) throw new Error(`the service has no operations port:\n${stdout}`);
  return url;
}

const json = async (url: string): Promise<[number, unknown]> => {
  const answer = await fetch(url);
  return [answer.status, await answer.json()];
};

describe('the operations port', () => {
  let env: Record<string, string>;
  let api: ServiceProcess;
  let worker: ServiceProcess;

  beforeAll(async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    env = { DATABASE_URL: database.url, DATA_DIR: await temporaryFolder(), REDIS_URL: '' };
    const [ofApi, ofWorker] = [await freePort(), await freePort()];
    [api, worker] = await Promise.all([
      startService({ env: { ...env, PROCESS_ROLE: 'api', OPS_PORT: ofApi } }),
      startWorker({ ...env, OPS_PORT: ofWorker }),
    ]);
  }, HANG_TIMEOUT_MS);
  afterAll(cleanUp);

  it('answers in an API process that it lives, is ready and is healthy, without credentials', async () => {
    const url = operationsUrl(api);
    expect(await json(`${url}/live`)).toEqual([200, { live: true }]);
    expect(await json(`${url}/ready?verbose`)).toEqual([
      200,
      { ready: true, checks: { database: true, migrations: true, queue: true } },
    ]);
    expect(await json(`${url}/health`)).toMatchObject([200, { version: '1.0.0', checks: { database: 'ok' } }]);
  });

  it('answers in a worker that its jobs run, with the metrics of its work', async () => {
    const url = operationsUrl(worker);
    expect(await json(`${url}/ready`)).toEqual([
      200,
      { ready: true, checks: { database: true, migrations: true, queue: true, jobs: true } },
    ]);
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    const text = await answer.text();
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).not.toContain('oes_http_request_duration_seconds');
  });

  it('has the metrics of the requests to the API, whose own port has neither metrics nor readiness', async () => {
    await fetch(`${api.url}/v1/projects`);
    await eventually(
      async () => (await fetch(`${operationsUrl(api)}/metrics`)).text(),
      (text) =>
        text.includes('oes_http_request_duration_seconds_count{method="GET",route="/v1/projects",status="401"} 1'),
    );
    expect(await json(`${api.url}/metrics`)).toEqual([404, { detail: 'Not Found' }]);
    expect(await json(`${api.url}/ready`)).toEqual([404, { detail: 'Not Found' }]);
    expect((await json(`${api.url}/health`))[0]).toBe(200);
  });

  it('answers 404 for other paths, 405 for other methods, and HEAD without a body', async () => {
    const url = operationsUrl(api);
    expect(await json(`${url}/internal/jobs`)).toEqual([404, { detail: 'Not Found' }]);
    const post = await fetch(`${url}/live`, { method: 'POST', body: 'x' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await fetch(`${url}/live`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '13', '']);
  });

  it('survives a request that is no HTTP', async () => {
    const socket = connect(Number(new URL(operationsUrl(api)).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.resume().end('\u0000\u0001 no HTTP\r\n\r\n');
    await once(socket, 'close');
    expect(await json(`${operationsUrl(api)}/live`)).toEqual([200, { live: true }]);
  });

  it('is the next free one when it is not set and the default is in use, until the process stops', async () => {
    // Another process may have the port, and may release it before the service starts.
    const isHeld = await listener(DEFAULT_PORT).then(
      () => true,
      () => false,
    );
    const service = await startService({ env: { ...env, OPS_PORT: '' } });
    const port = Number(new URL(operationsUrl(service)).port);
    expect(port).toBeGreaterThanOrEqual(isHeld ? DEFAULT_PORT + 1 : DEFAULT_PORT);
    expect(await json(`${operationsUrl(service)}/live`)).toEqual([200, { live: true }]);
    expect(await service.stop()).toEqual(CLEAN_EXIT);
    await expect(fetch(`${operationsUrl(service)}/live`)).rejects.toThrow();
  });

  it('ends the process with one sentence when the chosen port is in use', async () => {
    const { port } = (await listener()).address() as AddressInfo;
    const service = launch({ env: { ...env, OPS_PORT: String(port) } });
    expect(await service.end()).toEqual({ code: 1, signal: null });
    expect(service.stderr).toBe(
      `The address 127.0.0.1:${port} is in use: stop what listens there, or set OPS_PORT to another port.\n`,
    );
  });

  it('is refused when it is the port of the API', async () => {
    const service = launch({ env: { ...env, PORT: '4000', OPS_PORT: '4000' } });
    expect(await service.end()).toEqual({ code: 78, signal: null });
    expect(service.stderr).toContain('OPS_PORT and PORT are both 4000: set one of them to another port');
  });
});
