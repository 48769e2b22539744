import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestApp, type TestApp } from '../../support/app.js';
import { PYTHON_CLIENT, pythonSender, type SenderProgram } from '../../support/clients/sender-programs.js';
import { cleanUp, temporaryFolder } from '../../support/embedded-database.js';
import { tenant, type Tenant } from '../../support/ingestion.js';
import { askProgram } from '../../support/programs/ask.js';

const run = promisify(execFile);
const python = await pythonSender();
const build = await askProgram<{ path: string }>('python-build');
const ifPresent = python.absent === undefined ? describe : describe.skip;

if (python.absent !== undefined) it.skip(`the Python client: ${python.absent}`, () => undefined);

ifPresent('The Python client', () => {
  let app: TestApp;
  let of: Tenant;
  let sender: SenderProgram;

  beforeAll(async () => {
    app = await createTestApp();
  });
  beforeEach(async () => {
    of = await tenant(app, { plan: 'enterprise' });
    sender = await python.start({ url: app.url, apiKey: of.apiKey });
  });
  afterEach(cleanUp);
  afterAll(() => app.close());

  const rows = (columns: string): Promise<Record<string, unknown>[]> =>
    app.rows(`SELECT ${columns} FROM events WHERE project_id = $1 ORDER BY (properties->>'n')::int, log_status`, [
      of.projectId,
    ]);

  it('sends records of logging with severity, extra members and exceptions', async () => {
    await sender.ask({ do: 'log' });
    expect(await sender.flushAll()).toEqual({ pending: 0, losses: [], isDone: true });
    const stored = await rows('event, message, severity, status, properties, log_status');
    expect(stored).toMatchObject([
      {
        event: 'shop.log',
        message: 'paid 17',
        severity: 'info',
        log_status: 200,
        properties: { order: 'ö-17', logger: 'shop' },
      },
      { message: null, severity: 'warning', properties: { client: expect.stringContaining('built-in method') } },
      {
        message: 'payment failed',
        severity: 'error',
        log_status: 500,
        properties: {
          exception: { type: 'ValueError', message: 'declined', stack: expect.stringContaining('Traceback') },
        },
      },
      { message: 'x'.repeat(2_000), severity: 'critical', properties: { status: 'retried' } },
    ]);
  });

  it.each(['wsgi', 'asgi'] as const)('records requests of an application of %s', async (kind) => {
    await sender.ask({ do: kind });
    expect(await sender.flushAll()).toEqual({ pending: 0, losses: [], isDone: true });
    const columns = `event, log_method AS method, log_endpoint AS endpoint, log_status AS status,
      log_has_latency AS measured, properties->>'path' AS path, properties->>'route' AS route`;
    const common = { event: 'http.request', measured: true };
    expect(await rows(columns)).toEqual([
      {
        ...common,
        method: 'GET',
        endpoint: '/shop/orders/{id}',
        status: 201,
        path: '/shop/orders/17',
        route: '/shop/orders/{id}',
      },
      { ...common, method: 'POST', endpoint: '/nowhere', status: 404, path: '/nowhere', route: null },
      { ...common, method: 'GET', endpoint: '/broken', status: 500, path: '/broken', route: null },
    ]);
  });

  it('sends the events of a forked process once, and keeps those of its parent', async () => {
    const event = (n: number): object => ({ event_type: 'order.paid', payload: { n } });
    await sender.send([event(0), event(1)]);
    const { isDone } = await sender.ask({ do: 'fork', events: [event(2), event(3)] });
    expect(isDone).toBe(true);
    expect((await rows('properties')).length).toBe(2);
    await sender.send([event(4)]);
    await sender.flushAll();
    const stored = await rows('properties');
    expect(stored.map(({ properties }) => (properties as { n: number }).n)).toEqual([0, 1, 2, 3, 4]);
  });
});

const ifBuilds = 'absent' in build ? describe.skip : describe;

if ('absent' in build) it.skip(`the package of the Python client: ${build.absent}`, () => undefined);

ifBuilds('The package of the Python client', () => {
  afterEach(cleanUp);

  it('builds with its types and its license, and works without its sources', async () => {
    if ('absent' in build) throw new Error(build.absent);
    const folder = await temporaryFolder();
    // A build writes next to its sources.
    await cp(PYTHON_CLIENT, join(folder, 'sources'), { recursive: true });
    const options = ['--no-isolation', '--outdir', join(folder, 'dist'), join(folder, 'sources')];
    await run(build.path, options);
    const built = await readdir(join(folder, 'dist'));
    expect(built.toSorted()).toEqual([
      expect.stringMatching(/^operational[-_]events-\d+\.\d+\.\d+\.tar\.gz$/),
      expect.stringMatching(/^operational_events-\d+\.\d+\.\d+-py3-none-any\.whl$/),
    ]);
    const wheel = join(folder, 'dist', built.find((name) => name.endsWith('.whl')) ?? '');
    const program = `import sys, zipfile; sys.path.insert(0, sys.argv[1]); import operational_events as client
print(client.__file__.startswith(sys.argv[1]), sorted(name.split("/")[-1] for name in zipfile.ZipFile(sys.argv[1]).namelist()))`;
    const path = await askProgram<{ path: string }>('python');
    if ('absent' in path) throw new Error(path.absent);
    const { stdout } = await run(path.path, ['-c', program, wheel]);
    expect(stdout).toMatch(/^True /);
    for (const name of ['LICENSE', 'py.typed', 'event_sender.py']) expect(stdout).toContain(`'${name}'`);
  });
});
