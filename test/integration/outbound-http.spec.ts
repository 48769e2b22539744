import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createSecureContext } from 'node:tls';
import {
  DestinationSafety,
  type HostAddress,
  HostLookup,
  type LookupAnswer,
  OutboundHttp,
  type OutboundOutcome,
  type OutboundRequest,
} from '../../src/platform/outbound-http/index.js';
import { exchange } from '../../src/platform/outbound-http/exchange.js';
import { makeCertificate } from '../support/certificates.js';
import { answering, RawReceiver } from '../support/raw-receiver.js';

const LOOPBACK = [{ family: 'ipv4', address: '127.0.0.1', prefix: 32 }] as const;
const SHORT_MS = 1_000;
const LONG_MS = 20_000;

/** Answers what the test says, one answer after the other; the last one stays. Never asks anybody. */
class ScriptedLookup extends HostLookup {
  asked = 0;
  private script: LookupAnswer[] = [];

  answer(...script: (readonly string[] | LookupAnswer)[]): void {
    this.asked = 0;
    this.script = script.map((one) => ('ok' in one ? one : { ok: true, addresses: one.map(toAddress) }));
  }

  override addressesOf(): Promise<LookupAnswer> {
    const answer = this.script[Math.min(this.asked++, this.script.length - 1)];
    return answer === undefined ? new Promise(() => undefined) : Promise.resolve(answer);
  }
}

const toAddress = (address: string): HostAddress => ({ address, family: address.includes(':') ? 6 : 4 });

const lookup = new ScriptedLookup();
const safety = new DestinationSafety(LOOPBACK, lookup);
const client = new OutboundHttp(safety);
let receiver: RawReceiver;

beforeAll(async () => {
  receiver = await RawReceiver.start(answering(200));
});
afterAll(() => receiver.stop());
beforeEach(() => {
  receiver.connections = 0;
  receiver.requests.length = 0;
  lookup.answer(['127.0.0.1']);
});

function send(wish: Partial<OutboundRequest> = {}, sender = client): Promise<OutboundOutcome> {
  return sender.send({
    url: `http://127.0.0.1:${receiver.port}/hook`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.from('{"a":1}'),
    deadlineMs: LONG_MS,
    ...wish,
  });
}

describe('a request', () => {
  it('is sent as it was given, and the connection is its own', async () => {
    receiver.react = answering(200);
    const url = `http://hooks.example.com:${receiver.port}/a%20b/ü?x=1&y=/#part`;
    const headers = {
      'Content-Type': 'text/plain',
      'X-Own': 'ä, b',
      host: 'evil.example',
      Connection: 'keep-alive, X-Own',
      'content-length': '9999',
      'Transfer-Encoding': 'chunked',
      'Accept-Encoding': 'gzip',
      Expect: '100-continue',
    };
    const body = Buffer.from([0, 255, 10, 13]);
    expect(await send({ url, method: 'PUT', headers, body })).toMatchObject({ kind: 'answer', status: 200 });
    const [request = ''] = receiver.requests;
    const [head = '', sent] = request.split('\r\n\r\n');
    expect(head.split('\r\n')).toEqual([
      'PUT /a%20b/%C3%BC?x=1&y=/ HTTP/1.1',
      'Content-Type: text/plain',
      'X-Own: ä, b',
      `Host: hooks.example.com:${receiver.port}`,
      'Content-Length: 4',
      'Accept-Encoding: identity',
      'Connection: close',
    ]);
    expect(sent).toBe(body.toString('latin1'));
  });

  it('is a GET without a body and without the length of one', async () => {
    receiver.react = answering(200);
    await send({ method: 'GET', headers: { Accept: 'application/json' }, body: Buffer.alloc(0) });
    expect(receiver.requests[0]?.split('\r\n')).toEqual([
      'GET /hook HTTP/1.1',
      'Accept: application/json',
      `Host: 127.0.0.1:${receiver.port}`,
      'Accept-Encoding: identity',
      'Connection: close',
      '',
      '',
    ]);
  });

  it('goes over one new connection each time', async () => {
    receiver.react = answering(200, ['Connection: keep-alive', 'Keep-Alive: timeout=60']);
    for (let i = 0; i < 3; i++) await send();
    expect(receiver.connections).toBe(3);
  });

  it.each([
    [{ 'X-Bad': 'a\r\nX-Injected: 1' }, 'invalid_request'],
    [{ 'X-Bad\r\nX-Injected': '1' }, 'invalid_request'],
    [{ 'X-Bad': '☂' }, 'invalid_request'],
  ])('is refused with headers that cannot be sent: %j', async (headers, reason) => {
    expect(await send({ headers })).toMatchObject({ kind: 'failure', reason });
    expect(receiver.connections).toBe(0);
  });

  it('knows no proxy of the environment', async () => {
    receiver.react = answering(200);
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
    for (const name of names) process.env[name] = 'http://127.0.0.1:1';
    process.env['NODE_USE_ENV_PROXY'] = '1';
    try {
      expect(await send()).toMatchObject({ kind: 'answer', status: 200 });
    } finally {
      for (const name of [...names, 'NODE_USE_ENV_PROXY']) delete process.env[name];
    }
  });

  it('may be one of many at once', async () => {
    receiver.react = (socket, request) => answering(200, [], /\r\n\r\n(.*)$/.exec(request)?.[1])(socket, request);
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, i) => send({ body: Buffer.from(`n${i}`) })));
    expect(outcomes.map((outcome) => outcome.kind === 'answer' && outcome.body)).toEqual(
      outcomes.map((_, i) => `n${i}`),
    );
  });
});

describe('an answer', () => {
  it('has status, headers, body and the wish to wait, for every status', async () => {
    for (let status = 200; status < 600; status++) {
      receiver.react = answering(status, ['Retry-After: 120', 'X-A: 1', 'X-A: 2', 'Location: http://127.0.0.1:1/']);
      const outcome = await send();
      expect(outcome).toMatchObject({ kind: 'answer', status, retryAfter: '120', body: '' });
      expect(outcome.kind === 'answer' && outcome.headers).toMatchObject({ 'x-a': '1, 2', 'retry-after': '120' });
    }
    expect(receiver.connections).toBe(400);
  });

  it('is not followed when it is a redirect', async () => {
    const other = await RawReceiver.start(answering(200));
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.react = answering(status, [`Location: http://127.0.0.1:${other.port}/`]);
      expect(await send()).toMatchObject({ kind: 'answer', status });
    }
    expect(other.connections).toBe(0);
    await other.stop();
  });

  it('may be announced by others', async () => {
    receiver.react = (socket) =>
      void socket.end(
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
      );
    expect(await send()).toMatchObject({ kind: 'answer', status: 204 });
  });

  it('is read to its end, chunks and all', async () => {
    receiver.react = (socket) =>
      void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n');
    expect(await send()).toMatchObject({ status: 200, body: 'abcde', retryAfter: null });
    receiver.react = (socket) => void socket.end('HTTP/1.0 200 OK\r\n\r\nuntil the end');
    expect(await send()).toMatchObject({ status: 200, body: 'until the end' });
  });

  it.each([
    ['says more than it has', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this', 'only this'],
    ['says less than it has', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nonly this', 'only'],
    ['ends within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\npart', 'part'],
    ['has a chunk that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n', 'abc'],
  ])('counts by its status when it %s', async (_how, text, body) => {
    receiver.react = (socket) => void socket.end(text);
    expect(await send()).toMatchObject({ kind: 'answer', status: 200, body });
  });

  it('counts by its status when its connection is reset after the head', async () => {
    receiver.react = (socket) => {
      socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 100\r\nRetry-After: 7\r\n\r\nx', () =>
        setTimeout(() => socket.resetAndDestroy(), 50),
      );
    };
    expect(await send()).toMatchObject({ kind: 'answer', status: 503, retryAfter: '7' });
  });

  it.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['is bytes', '\x15\x03\x01\x00\x02\x02\x46'],
    ['has both lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['has a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`],
    ['has a thousand headers', `HTTP/1.1 200 OK\r\n${'X: 0123456789\r\n'.repeat(2_000)}\r\n`],
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello'],
  ])('is a protocol error when it %s', async (_how, text) => {
    receiver.react = (socket) => void socket.end(Buffer.from(text, 'latin1'));
    expect(await send()).toMatchObject({
      kind: 'failure',
      reason: 'protocol_error',
      message: 'Answer is not valid HTTP',
    });
  });

  it('is read up to the size that the request allows', async () => {
    const text = 'x'.repeat(100_000);
    receiver.react = answering(200, [], text);
    expect(await send({ maxAnswerBytes: 200_000 })).toMatchObject({ kind: 'answer', status: 200, body: text });
    expect(await send({ maxAnswerBytes: 50_000 })).toMatchObject({ kind: 'answer', body: text.slice(0, 50_000) });
  });

  it('is cut at 8 KiB, and the connection with it, however much follows', async () => {
    let written = 0;
    const closed = new Promise<void>((resolve) => {
      receiver.react = async (socket) => {
        socket.once('close', resolve);
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n');
        const piece = Buffer.alloc(65_536, 'x');
        for (; written < 104_857_600 && !socket.destroyed; written += piece.length)
          if (!socket.write(piece))
            await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => null);
      };
    });
    expect(await send()).toMatchObject({ kind: 'answer', status: 200, body: 'x'.repeat(8_192) });
    await closed;
    expect(written).toBeLessThan(20_000_000);
  });

  it('is text whatever its bytes, and never cut within a character', async () => {
    const cases: [Buffer, string][] = [
      [Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x82]), 'a\ufffdb\ufffd'],
      [Buffer.from('€'.repeat(4_000)), '€'.repeat(2_730)],
      [Buffer.from(`${'a'.repeat(8_191)}ü`), 'a'.repeat(8_191)],
      [Buffer.from('a'.repeat(8_192)), 'a'.repeat(8_192)],
    ];
    for (const [bytes, body] of cases) {
      receiver.react = (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`);
        socket.end(bytes);
      };
      expect(await send()).toMatchObject({ status: 200, body });
    }
  });

  it('is not unpacked when it is compressed although that was not accepted', async () => {
    receiver.react = answering(200, ['Content-Encoding: gzip'], '\x1f\x8b…');
    expect(await send()).toMatchObject({ status: 200, body: '' });
    receiver.react = answering(200, ['Content-Encoding: identity'], 'plain');
    expect(await send()).toMatchObject({ status: 200, body: 'plain' });
  });
});

describe('the deadline', () => {
  const every = (socket: Socket, text: string) => {
    const timer = setInterval(() => socket.write(text), 20);
    socket.once('close', () => clearInterval(timer));
  };

  it.each([
    ['nothing comes', (_socket: Socket) => undefined, 'Timed out waiting for the answer'],
    [
      'the status line trickles',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 O');
        every(socket, 'K');
      },
      'Timed out waiting for the answer',
    ],
    [
      'the headers trickle',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        every(socket, 'X: 1\r\n');
      },
      'Timed out waiting for the answer',
    ],
    [
      'interim answers never end',
      (socket: Socket) => every(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
      'Timed out waiting for the answer',
    ],
    [
      'the body trickles',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        every(socket, 'x');
      },
      'Timed out reading the answer',
    ],
    [
      'the body stops',
      (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc'),
      'Timed out reading the answer',
    ],
  ])('holds when %s', async (_how, react, message) => {
    let closed: Promise<unknown> = Promise.resolve();
    receiver.react = (socket) => {
      closed = new Promise((resolve) => socket.once('close', resolve));
      react(socket);
    };
    expect(await send({ deadlineMs: SHORT_MS })).toMatchObject({ kind: 'failure', reason: 'timeout', message });
    await closed;
  });

  it('holds while the name is looked up', async () => {
    lookup.answer();
    const url = `http://hooks.example.com:${receiver.port}/`;
    expect(await send({ url, deadlineMs: SHORT_MS })).toMatchObject({
      kind: 'failure',
      reason: 'timeout',
      message: 'Timed out looking up the host name',
    });
    expect(receiver.connections).toBe(0);
  });

  it('holds in the TLS handshake', async () => {
    const silent = await RawReceiver.start(() => undefined);
    expect(await send({ url: `https://127.0.0.1:${silent.port}/`, deadlineMs: SHORT_MS })).toMatchObject({
      reason: 'timeout',
      message: 'Timed out in the TLS handshake',
    });
    await silent.stop();
  });

  it('sends nothing when it has passed', async () => {
    for (const deadlineMs of [0, -1]) expect(await send({ deadlineMs })).toMatchObject({ reason: 'timeout' });
    expect(receiver.requests).toEqual([]);
  });
});

describe('a connection', () => {
  it('is reported differently when it is refused than when it is closed or reset', async () => {
    const gone = await RawReceiver.start(() => undefined);
    const url = `http://127.0.0.1:${gone.port}/`;
    await gone.stop();
    expect(await send({ url })).toMatchObject({ reason: 'connection_refused', message: 'Connection was refused' });
    receiver.react = (socket) => void socket.destroy();
    expect(await send()).toMatchObject({ reason: 'connection_reset' });
    receiver.react = (socket) => void socket.resetAndDestroy();
    expect(await send()).toMatchObject({ reason: 'connection_reset' });
    receiver.react = (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Le');
    expect(await send()).toMatchObject({ kind: 'failure' });
  });

  it('is tried with every vetted address in turn', async () => {
    const everyLoopback = new DestinationSafety([{ family: 'ipv4', address: '127.0.0.0', prefix: 8 }], lookup);
    receiver.react = answering(200);
    lookup.answer(['127.0.0.2', '127.0.0.3', '127.0.0.1']);
    const url = `http://hooks.example.com:${receiver.port}/`;
    expect(await send({ url }, new OutboundHttp(everyLoopback))).toMatchObject({ kind: 'answer', status: 200 });
    lookup.answer(['127.0.0.2', '127.0.0.3']);
    expect(await send({ url }, new OutboundHttp(everyLoopback))).toMatchObject({ reason: 'connection_refused' });
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
(hasIpv6 ? describe : describe.skip)('IPv6, where the machine has it', () => {
  it('is connected to by its address and by a name, and checked in both', async () => {
    const both = new OutboundHttp(
      new DestinationSafety([...LOOPBACK, { family: 'ipv6', address: '::1', prefix: 128 }], lookup),
    );
    const six = await RawReceiver.start(answering(200), { host: '::1' });
    for (const host of ['[::1]', '[0:0:0:0:0:0:0:1]', '[::0.0.0.1]', 'hooks.example.com']) {
      lookup.answer(['0:0:0:0:0:0:0:1']);
      const url = `http://${host}:${six.port}/`;
      expect(await send({ url }, both)).toMatchObject({ kind: 'answer', status: 200 });
      expect(await send({ url })).toMatchObject({ reason: 'unsafe_destination' });
    }
    expect(six.requests[0]).toContain(`\r\nHost: [::1]:${six.port}\r\n`);
    expect(six.connections).toBe(4);
    lookup.answer(['127.0.0.1', '::1']);
    expect(await send({ url: `http://hooks.example.com:${six.port}/` }, both)).toMatchObject({ status: 200 });
    await six.stop();
  });
});

describe('TLS', () => {
  const authority = makeCertificate({ names: [], isAuthority: true });
  const trusting = new OutboundHttp(safety, { authorities: [authority.cert] });
  const forName = (names: string[], more = {}) => makeCertificate({ names, authority, ...more });

  async function over(tls: object, url: (port: number) => string, sender = trusting): Promise<OutboundOutcome> {
    const secure = await RawReceiver.start(answering(200), { tls });
    try {
      const outcome = await send({ url: url(secure.port) }, sender);
      if (outcome.kind === 'failure') expect(secure.requests).toEqual([]);
      return outcome;
    } finally {
      await secure.stop();
    }
  }

  it('takes a certificate of a trusted authority for the name, or the address', async () => {
    const asked: string[] = [];
    const sni = { SNICallback: (name: string, done: (error: null) => void) => (asked.push(name), done(null)) };
    const named = { ...forName(['hooks.example.com']), ...sni };
    expect(await over(named, (port) => `https://hooks.example.com:${port}/`)).toMatchObject({ status: 200 });
    expect(await over(named, (port) => `https://hooks.example.com.:${port}/`)).toMatchObject({ status: 200 });
    expect(asked).toEqual(['hooks.example.com', 'hooks.example.com']);
    const addressed = { ...forName(['127.0.0.1']), ...sni };
    expect(await over(addressed, (port) => `https://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['is for another host', forName(['other.example.com'])],
    ['is for the address alone', forName(['127.0.0.1'])],
    ['has expired', forName(['hooks.example.com'], { until: '210101' })],
    ['signs itself', makeCertificate({ names: ['hooks.example.com'] })],
    [
      'is of an authority nobody trusts',
      makeCertificate({
        names: ['hooks.example.com'],
        authority: makeCertificate({ names: [], isAuthority: true }),
      }),
    ],
  ])('refuses a certificate that %s, before anything is sent', async (_how, certificate) => {
    const url = (port: number) => `https://hooks.example.com:${port}/`;
    expect(await over(certificate, url)).toMatchObject({
      reason: 'tls_certificate',
      message: 'TLS certificate is not valid for the host',
    });
  });

  it('trusts the built-in authorities alone unless told otherwise, whatever the environment says', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const url = (port: number) => `https://hooks.example.com:${port}/`;
      expect(await over(forName(['hooks.example.com']), url, client)).toMatchObject({ reason: 'tls_certificate' });
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  it('fails as a handshake where the other side does not speak it, or an old version', async () => {
    const url = (port: number) => `https://hooks.example.com:${port}/`;
    const old = {
      ...forName(['hooks.example.com']),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0',
    };
    expect(await over(old, url)).toMatchObject({ reason: 'tls_handshake', message: 'TLS handshake failed' });
    const banner = createServer((socket) => void socket.on('error', () => undefined).end('220 ESMTP\r\n'));
    banner.listen(0, '127.0.0.1');
    await once(banner, 'listening');
    const { port } = banner.address() as AddressInfo;
    expect(await send({ url: `https://127.0.0.1:${port}/` }, trusting)).toMatchObject({ reason: 'tls_handshake' });
    banner.close();
  });
});

describe('a destination', () => {
  const strict = new DestinationSafety([], lookup);
  const strictClient = new OutboundHttp(strict);

  /** A listener on every IPv4 address of loopback: whatever reached this machine would be seen. */
  let everywhere: RawReceiver;
  beforeAll(async () => {
    everywhere = await RawReceiver.start(answering(200), { host: '0.0.0.0' });
  });
  afterAll(() => everywhere.stop());

  const LITERALS = [
    '127.0.0.1', '127.1', '127.255.255.254', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.0.0x0.01', '0', '0.0.0.0',
    '127.0.0.1.', '127%2e0%2e0%2e1', '１２７。０。０。１', '①②⑦.⓪.⓪.①', '10.0.0.1', '10.1', '169.254.169.254', '192.168.1.1',
    '172.16.0.1', '100.100.100.200', '192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255', '[::]', '[::1]',
    '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]',
    '[2001::1]', '[fe80::1]', '[fd00::1]', '[ff02::1]', '[2001:db8::1]',
  ]; // prettier-ignore
  it.each(LITERALS)('is refused with the address %s when configured and when sent to', async (host) => {
    const url = `http://${host}:${everywhere.port}/`;
    expect(await strict.checkAtConfiguration(new URL(url))).toBe('URL must lead to a public address');
    expect(await send({ url }, strictClient)).toMatchObject({
      kind: 'failure',
      reason: 'unsafe_destination',
      message: 'Destination is not allowed',
    });
    expect([everywhere.connections, lookup.asked]).toEqual([0, 0]);
  });

  const NAMES = [
    'localhost', 'LOCALHOST.', 'a.localhost', 'intranet', 'db.internal', 'metadata.google.internal.', 'printer.local',
    'host.docker.internal', 'x.localdomain', 'x.home.arpa', 'nas.lan', 'wiki.corp', 'api.default.svc', 'api.x.svc.cluster.local',
  ]; // prettier-ignore
  it.each(NAMES)('is refused with the name %s without a look-up', async (host) => {
    lookup.answer(['93.184.216.34']);
    const url = `http://${host}:${everywhere.port}/`;
    expect(await strict.checkAtConfiguration(new URL(url))).toBe('URL must lead to a public address');
    expect(await send({ url }, strictClient)).toMatchObject({ reason: 'unsafe_destination' });
    expect([everywhere.connections, lookup.asked]).toEqual([0, 0]);
  });

  it.each([
    [['127.0.0.1']],
    [['93.184.216.34', '127.0.0.1']],
    [['127.0.0.1', '93.184.216.34']],
    [['93.184.216.34', 'fd00::5']],
    [['0.0.0.0']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['2606:2800:220:1::1', '::1']],
    [['fe80::1%lo']],
    [['not an address']],
  ])('is refused when its name leads to %j, when configured and when sent to', async (addresses) => {
    lookup.answer(addresses);
    const url = `http://hooks.example.com:${everywhere.port}/`;
    expect(await strict.checkAtConfiguration(new URL(url))).toBe('URL must lead to a public address');
    expect(await send({ url }, strictClient)).toMatchObject({ reason: 'unsafe_destination' });
    expect(everywhere.connections).toBe(0);
  });

  it('is only reached at its vetted address when its name changes between two look-ups', async () => {
    // Allowed stands for public here: the vetted address is a listener, the address of the second answer another.
    receiver.react = answering(200);
    const trap = await RawReceiver.start(answering(200), { host: '127.0.0.2', port: receiver.port });
    lookup.answer(['127.0.0.1'], ['127.0.0.2']);
    const url = `http://rebind.example.com:${receiver.port}/`;
    expect(await send({ url })).toMatchObject({ kind: 'answer', status: 200 });
    expect([lookup.asked, receiver.connections, trap.connections]).toEqual([1, 1, 0]);
    expect(await send({ url })).toMatchObject({ reason: 'unsafe_destination' });
    lookup.answer(['127.0.0.1'], ['127.0.0.2']);
    expect(await safety.checkAtConfiguration(new URL(url))).toBeNull();
    expect(await send({ url })).toMatchObject({ reason: 'unsafe_destination' });
    expect([receiver.connections, trap.connections]).toEqual([1, 0]);
    await trap.stop();
  });

  it('is accepted when public DNS has its name, and when nobody has the name yet', async () => {
    const url = new URL('https://hooks.example.com/');
    for (const addresses of [['93.184.216.34'], ['93.184.216.34', '2606:2800:220:1::1']]) {
      lookup.answer(addresses);
      expect(await strict.checkAtConfiguration(url)).toBeNull();
    }
    for (const reason of ['unknown_host', 'dns_temporary', 'timeout'] as const) {
      lookup.answer({ ok: false, reason });
      expect(await strict.checkAtConfiguration(url)).toBeNull();
      expect(await send({ url: url.href }, strictClient)).toMatchObject({ kind: 'failure', reason });
    }
    lookup.answer([]);
    expect(await send({ url: url.href }, strictClient)).toMatchObject({ reason: 'unknown_host' });
    lookup.answer();
    expect(await strict.checkAtConfiguration(url)).toBeNull();
  });

  it('is left at once, and told nothing, when the connection leads elsewhere than vetted', async () => {
    receiver.react = answering(200);
    for (const scheme of ['http', 'https']) {
      const result = await exchange({
        url: new URL(`${scheme}://127.0.0.1:${receiver.port}/`),
        addresses: [{ address: '127.0.0.2', family: 4 }],
        method: 'POST',
        headers: {},
        body: Buffer.from('{}'),
        signal: AbortSignal.timeout(LONG_MS),
        tls: createSecureContext(),
      });
      expect(result).toMatchObject({ kind: 'failure', reason: 'unsafe_destination' });
    }
    expect(receiver.requests).toEqual([]);
  });

  it('is accepted in the own network when all its addresses are allowed', async () => {
    receiver.react = answering(200);
    for (const host of ['localhost', 'receiver', 'hooks.internal']) {
      const url = `http://${host}:${receiver.port}/`;
      lookup.answer(['127.0.0.1']);
      expect(await safety.checkAtConfiguration(new URL(url))).toBeNull();
      expect(await send({ url })).toMatchObject({ kind: 'answer', status: 200 });
      for (const answer of [['127.0.0.1', '93.184.216.34'], ['127.0.0.1', '::1'], ['93.184.216.34']]) {
        lookup.answer(answer);
        expect(await safety.checkAtConfiguration(new URL(url))).toBe('URL must lead to a public address');
        expect(await send({ url })).toMatchObject({ reason: 'unsafe_destination' });
      }
      lookup.answer({ ok: false, reason: 'unknown_host' });
      expect(await safety.checkAtConfiguration(new URL(url))).toBe('URL must lead to a public address');
      expect(await send({ url })).toMatchObject({ reason: 'unknown_host' });
    }
  });

  it('is allowed in its own spelling alone, not mapped into IPv6', async () => {
    for (const host of ['[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '127.0.0.2'])
      expect(await send({ url: `http://${host}:${everywhere.port}/` })).toMatchObject({ reason: 'unsafe_destination' });
    expect(everywhere.connections).toBe(0);
  });

  it('receives nothing when its form is refused', async () => {
    for (const url of ['', 'ftp://127.0.0.1/', `http://u:p@127.0.0.1:${receiver.port}/`, 'http://127.0.0.1:0/'])
      expect(await send({ url })).toMatchObject({ reason: 'unsafe_destination' });
    const url = `http://127.0.0.1:${receiver.port}/?token=x`;
    expect(await send({ url, refuseCredentialQuery: true })).toMatchObject({ reason: 'unsafe_destination' });
    expect(receiver.connections).toBe(0);
    expect(await send({ url })).toMatchObject({ kind: 'answer' });
  });

  it('is refused whatever the name, as soon as one address is not public', async () => {
    const isPrivate = fc.constantFrom('10.1.2.3', '127.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:8.8.8.8');
    const isPublic = fc.constantFrom('93.184.216.34', '8.8.8.8', '2606:2800:220:1::1', '2a00:1450::1');
    const answers = fc.array(fc.oneof(isPrivate, isPublic), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.domain(), answers, async (host, addresses) => {
        lookup.answer(addresses);
        const isSafe = addresses.every((address) => !/^(10|127|169|::|fd)/.test(address));
        expect((await strict.checkAtConfiguration(new URL(`https://${host}/`))) === null).toBe(isSafe);
      }),
    );
  });
});
