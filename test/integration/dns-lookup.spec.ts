import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DestinationSafety, DnsLookup, OutboundHttp } from '../../src/platform/outbound-http/index.js';
import { HANG_TIMEOUT_MS } from '../support/bounds.mjs';
import { DnsServer } from '../support/dns-server.js';
import { answering, RawReceiver } from '../support/raw-receiver.js';

let server: DnsServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hosts-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  server = await DnsServer.start(() => 'no such name');
});
afterEach(() => server.stop());

const lookup = (more = {}) => new DnsLookup({ servers: [server.address], hostsFile: '/nowhere', ...more });
const within = (ms: number) => AbortSignal.timeout(ms);
const find = (host: string, finder = lookup()) => finder.addressesOf(host, within(20_000), 'a');

describe('a look-up in DNS', () => {
  it('asks for both families and gives all addresses, IPv4 first', async () => {
    server.reply = () => ['2606:2800:220:1::1', '93.184.216.34', '93.184.216.35'];
    expect(await find('hooks.example.com')).toEqual({
      ok: true,
      addresses: [
        { address: '93.184.216.34', family: 4 },
        { address: '93.184.216.35', family: 4 },
        { address: '2606:2800:220:1::1', family: 6 },
      ],
    });
    expect(server.questions.sort()).toEqual(['hooks.example.com A', 'hooks.example.com AAAA']);
  });

  it('asks for the name alone, never within a search domain, and keeps no answer', async () => {
    const finder = lookup();
    for (let i = 0; i < 2; i++) expect(await find('redis', finder)).toEqual({ ok: false, reason: 'unknown_host' });
    expect(server.questions.sort()).toEqual(['redis A', 'redis A', 'redis AAAA', 'redis AAAA']);
  });

  it('tells a name that does not exist from one that cannot be asked for now', async () => {
    expect(await find('a.example.com')).toEqual({ ok: false, reason: 'unknown_host' });
    server.reply = () => [];
    expect(await find('a.example.com')).toEqual({ ok: false, reason: 'unknown_host' });
    for (const reply of ['server failure', 'refused'] as const) {
      server.reply = () => reply;
      expect(await find('a.example.com')).toEqual({ ok: false, reason: 'dns_temporary' });
      server.reply = (_name, family) => (family === 4 ? [] : reply);
      expect(await find('a.example.com')).toEqual({ ok: false, reason: 'dns_temporary' });
    }
    expect(await find(`${'a'.repeat(64)}.example.com`)).toEqual({ ok: false, reason: 'unknown_host' });
  });

  it.each([4, 6] as const)(
    'does with the addresses of IPv%s where the other family fails or never answers',
    async (family) => {
      const address = family === 4 ? '93.184.216.34' : '2606:2800:220:1::1';
      for (const other of ['server failure', 'no such name', 'silence'] as const) {
        server.reply = (_name, asked) => (asked === family ? [address] : other);
        expect(await find('hooks.example.com')).toEqual({ ok: true, addresses: [{ address, family }] });
      }
    },
  );

  it('ends when it is called off', async () => {
    server.reply = () => 'silence';
    expect(await lookup().addressesOf('a.example.com', within(200), 'a')).toEqual({ ok: false, reason: 'timeout' });
    const over = AbortSignal.abort();
    expect(await lookup().addressesOf('a.example.com', over, 'a')).toEqual({ ok: false, reason: 'timeout' });
  });

  it('is not held up by ten thousand look-ups of another tenant that hang', async () => {
    server.reply = (name) => (name.startsWith('dead') ? 'silence' : ['93.184.216.34']);
    const finder = lookup();
    const callOff = Array.from({ length: 10_000 }, () => new AbortController());
    const hanging = callOff.map(({ signal }, i) => finder.addressesOf(`dead${i}.example.com`, signal, 'a'));
    const others = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        finder.addressesOf(`h${i}.example.com`, within(HANG_TIMEOUT_MS), `tenant ${i}`),
      ),
    );
    expect(others.every((answer) => answer.ok)).toBe(true);
    // The hanging ones had their 20 places all the while.
    expect(new Set(server.questions.filter((question) => question.startsWith('dead'))).size).toBeLessThanOrEqual(40);
    for (const one of callOff) one.abort();
    expect((await Promise.all(hanging)).every((answer) => !answer.ok && answer.reason === 'timeout')).toBe(true);
  });
});

describe('the hosts file', () => {
  it('comes before DNS', async () => {
    const hostsFile = join(folder, 'hosts');
    await writeFile(
      hostsFile,
      '127.0.0.1\tlocalhost  Receiver.Test # both\n\n::1 localhost\n# 1.2.3.4 off\nnonsense line\n',
    );
    const finder = lookup({ hostsFile });
    const loopback = { address: '127.0.0.1', family: 4 };
    expect(await find('localhost', finder)).toEqual({ ok: true, addresses: [loopback, { address: '::1', family: 6 }] });
    expect(await find('receiver.test', finder)).toEqual({ ok: true, addresses: [loopback] });
    expect(await find('off', finder)).toEqual({ ok: false, reason: 'unknown_host' });
    expect(server.questions.filter((question) => !question.startsWith('off '))).toEqual([]);
  });
});

describe('the client over DNS', () => {
  it('reaches an allowed receiver by its name, and no trap that the name turns into', async () => {
    const receiver = await RawReceiver.start(answering(200));
    const trap = await RawReceiver.start(answering(200), { host: '127.0.0.2', port: receiver.port });
    const subnets = [{ family: 'ipv4', address: '127.0.0.1', prefix: 32 }] as const;
    const client = new OutboundHttp(new DestinationSafety(subnets, lookup()));
    const url = `http://rebind.example.com:${receiver.port}/`;
    const send = () => client.send({ url, method: 'POST', headers: {}, body: Buffer.alloc(0), deadlineMs: 10_000 });
    try {
      server.reply = () => (server.questions.length <= 2 ? ['127.0.0.1'] : ['127.0.0.2']);
      expect(await send()).toMatchObject({ kind: 'answer', status: 200 });
      expect(await send()).toMatchObject({ kind: 'failure', reason: 'unsafe_destination' });
      expect([receiver.connections, trap.connections]).toEqual([1, 0]);
    } finally {
      await Promise.all([receiver.stop(), trap.stop()]);
    }
  });
});
