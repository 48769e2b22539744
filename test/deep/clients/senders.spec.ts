import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { askProgram } from '../../support/programs/ask.js';
import { startReceiver } from '../../support/receiver.js';
import { api, service, type Tenant, tenant } from '../../support/service.js';

interface Program {
  readonly path: string;
}

/** syslog-ng, with the folders of its modules and libraries. */
interface SyslogNg extends Program {
  readonly modules: string;
  readonly libraries: readonly string[];
}

interface StoredEvent {
  readonly event: string;
  readonly source: string;
  readonly message: string | null;
  readonly severity: string | null;
  readonly status: string | null;
  readonly timestamp: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

const ADDRESS = 'https://events.example.com';
const KEY = 'oes_YOUR_KEY';

/** Returns a configuration of `docs/senders` with an address and a key. */
async function configured(name: string, url: string, key: string): Promise<string> {
  const text = await readFile(new URL(`../../../docs/senders/${name}`, import.meta.url), 'utf8');
  return text.replaceAll(ADDRESS, url).replaceAll(KEY, key);
}

let acme: Tenant;
let folder: string;
let running: ChildProcess[] = [];

beforeEach(async () => {
  acme = await tenant();
  folder = await mkdtemp(join(tmpdir(), 'oes-senders-'));
});
afterEach(async () => {
  for (const child of running) {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill();
    await ended;
  }
  running = [];
  await rm(folder, { recursive: true, force: true });
});

/** Starts a program, and ends it after the test. Its output is in `program.log` of the folder. */
function start({ path }: Program, flags: readonly string[], libraries: readonly string[] = []): void {
  const child = spawn(path, flags, {
    cwd: folder,
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(join(folder, 'program.log'), { flags: 'a' });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  running.push(child);
}

/** Polls until the condition holds. Fails with the output of the program when the program has ended. */
async function whileRunning<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  return eventually(async () => {
    if (running.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null))
      throw new Error(`the program has ended: ${await readFile(join(folder, 'program.log'), 'utf8')}`);
    return ask();
  }, holds);
}

/** Waits until the project has this many events, and returns them with the oldest first. */
async function stored(count: number): Promise<readonly StoredEvent[]> {
  const read = async (): Promise<readonly StoredEvent[]> => {
    const { body } = await api.as(acme.owner).get('/v1/events', { project_id: acme.projectId }).expect(200);
    return [...(body as { items: StoredEvent[] }).items].reverse();
  };
  return whileRunning(read, (events) => events.length >= count);
}

/** Writes lines to a port of this machine, once a program listens there. */
async function writeTo(port: number, lines: readonly string[]): Promise<void> {
  const connected = (): Promise<Socket | null> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.on('error', () => resolve(null));
    });
  const socket = await whileRunning(connected, (found) => found !== null);
  socket?.end(lines.map((line) => `${line}\n`).join(''));
}

function syslogNg(program: SyslogNg): void {
  /** Starts syslog-ng with the configuration, behind a source that reads lines from the returned port. */
  async function startWith(configuration: string): Promise<number> {
    const port = await freePort();
    await writeFile(join(folder, 'events.conf'), configuration);
    await writeFile(
      join(folder, 'main.conf'),
      `@version: 3.38
options { keep-hostname(yes); };
source s_src { network(ip("127.0.0.1") port(${port}) transport("tcp")); };
@include "${join(folder, 'events.conf')}"
`,
    );
    const files = ['--persist-file', '--control', '--pidfile'].flatMap((flag) => [flag, join(folder, flag.slice(2))]);
    const flags = [
      '--foreground',
      '--no-caps',
      '--module-path',
      program.modules,
      '--cfgfile',
      join(folder, 'main.conf'),
    ];
    start(program, [...flags, ...files], program.libraries);
    return port;
  }

  it('sends lines of syslog as events, with their program, host, time and severity', async () => {
    const port = await startWith(await configured('syslog-ng.conf', service.url, acme.key.apiKey));
    await writeTo(port, [
      '<11>Nov 28 04:00:00 web1 shop[42]: payment failed: "quoted" \\ ü',
      '<14>Nov 28 04:00:01 web1 shop: order placed',
      '<8>Nov 28 04:00:02 web1 kernel: panic',
    ]);
    const events = await stored(3);
    expect(events.map(({ event, source, severity, status }) => [event, source, severity, status])).toEqual([
      ['log', 'shop', 'error', 'error'],
      ['log', 'shop', 'info', null],
      ['log', 'kernel', 'critical', 'error'],
    ]);
    expect(events[0]).toMatchObject({
      message: 'payment failed: "quoted" \\ ü',
      timestamp: expect.stringMatching(/-11-28T\d\d:00:00\.000Z$/),
      properties: { host: 'web1', facility: 'user', pid: '42' },
    });
  });

  // It takes the second after which syslog-ng connects again.
  it('sends a request again that was refused with 429', async () => {
    const receiver = await startReceiver(429);
    try {
      const configuration = await configured('syslog-ng.conf', new URL(receiver.url).origin, KEY);
      const port = await startWith(configuration.replace('time-reopen(5)', 'time-reopen(1)'));
      await writeTo(port, ['<14>Nov 28 04:00:00 web1 shop: order placed']);
      const [refused] = await receiver.requests(1);
      receiver.answer(200);
      const [, repeated] = await receiver.requests(2);
      expect(repeated?.body).toBe(refused?.body);
      expect(JSON.parse(refused?.body ?? '')).toMatchObject({ message: 'order placed', service: 'shop' });
    } finally {
      await receiver.close();
    }
  });
}

function alertmanager(program: Program): void {
  it('sends a notification as an event, with its alerts as properties', async () => {
    const port = await freePort();
    const configuration = await configured('alertmanager.yml', service.url, acme.key.apiKey);
    const path = join(folder, 'alertmanager.yml');
    await writeFile(path, configuration.replace('group_wait: 10s', 'group_wait: 0s'));
    await mkdir(join(folder, 'data'));
    start(program, [
      `--config.file=${path}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ]);
    const alert = {
      labels: { alertname: 'HighLatency', severity: 'critical', service: 'shop' },
      annotations: { summary: 'p95 is 2 s' },
    };
    const request = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify([alert]) };
    const isTaken = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/api/v2/alerts`, request).then(
        ({ ok }) => ok,
        () => false,
      );
    await whileRunning(isTaken, Boolean);
    const [event] = await stored(1);
    expect(event).toMatchObject({
      event: 'alertmanager',
      source: 'alertmanager',
      status: 'firing',
      properties: { commonLabels: alert.labels, alerts: [{ status: 'firing', ...alert }] },
    });
  });
}

describe('the webhook of a provider', () => {
  interface Hook {
    readonly id: string;
    readonly address: string;
  }

  /** Creates a source of type `webhook`, and returns the configuration with its address. */
  async function hooked(name: string, verification: object): Promise<Hook & { readonly configuration: unknown }> {
    const source = { project_id: acme.projectId, name, type: 'webhook', verification };
    const { body } = await api.as(acme.owner).post('/v1/ingest-sources', source).expect(201);
    const { id, hook_url: address } = body as { id: string; hook_url: string };
    const text = await configured(`${name}.json`, new URL(address).origin, KEY);
    const hookId = new URL(address).pathname.split('/').at(-1) ?? '';
    return { id, address, configuration: JSON.parse(text.replaceAll('YOUR_HOOK_ID', hookId)) };
  }

  const deliver = async (address: string, body: string, headers: Record<string, string>): Promise<number> => {
    const url = service.url + new URL(address).pathname;
    const all = { 'Content-Type': 'application/json', ...headers };
    return (await fetch(url, { method: 'POST', headers: all, body })).status;
  };

  it('is stored with the address and the secret of the configuration of GitHub', async () => {
    const { address, configuration } = await hooked('github', { scheme: 'github', secret: 'YOUR_SECRET' });
    const { config } = configuration as { config: { url: string; secret: string } };
    expect(config.url).toBe(address);
    const body = JSON.stringify({ action: 'opened', number: 2 });
    const signature = createHmac('sha256', config.secret).update(body).digest('hex');
    const headers = {
      'X-GitHub-Event': 'pull_request',
      'X-GitHub-Delivery': '72d3162e',
      'X-Hub-Signature-256': `sha256=${signature}`,
    };
    expect(await deliver(config.url, body, headers)).toBe(200);
    expect(await stored(1)).toMatchObject([{ event: 'github.pull_request.opened', source: 'github' }]);
  });

  it('is stored with the address of the configuration of Stripe, and the secret that Stripe chooses', async () => {
    const { id, address, configuration } = await hooked('stripe', { scheme: 'none' });
    const { fixtures } = configuration as { fixtures: { params: { url: string } }[] };
    expect(fixtures.map(({ params }) => params.url)).toEqual([address]);
    const secret = 'whsec_of_stripe';
    const verification = { scheme: 'stripe', secret };
    await api.as(acme.owner).patch(`/v1/ingest-sources/${id}`, { verification }).expect(200);
    const payload = JSON.stringify({ id: 'evt_1', type: 'charge.succeeded', data: { object: { amount: 42 } } });
    const header = new Stripe('sk_test_1').webhooks.generateTestHeaderString({ payload, secret });
    expect(await deliver(address, payload, { 'Stripe-Signature': header })).toBe(200);
    expect(await stored(1)).toMatchObject([{ event: 'stripe.charge.succeeded', source: 'stripe' }]);
  });
});

const syslogNgProgram = await askProgram<SyslogNg>('syslog-ng');
if ('absent' in syslogNgProgram) it.skip(`syslog-ng is left out: ${syslogNgProgram.absent}`, () => undefined);
else describe('the configuration of syslog-ng', () => syslogNg(syslogNgProgram));

const alertmanagerProgram = await askProgram<Program>('alertmanager');
if ('absent' in alertmanagerProgram)
  it.skip(`Alertmanager is left out: ${alertmanagerProgram.absent}`, () => undefined);
else describe('the configuration of Alertmanager', () => alertmanager(alertmanagerProgram));
