import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { BodyBudget } from './body-budget.js';
import { bodyBytes, type BodyLimits, RequestAborted } from './body-bytes.js';
import { BodyTooLarge, ServiceOverloaded } from './domain-error.js';
import { RequestTimeout } from './slow-sender.js';

const MIB = 1024 * 1024;
const QUICK = { idleMs: 300, bytesPerSecond: 1e9 };

describe('a request body', () => {
  const endings: (() => void)[] = [];
  afterEach(() => {
    for (const end of endings.splice(0)) end();
  });

  /** Returns a request as the server receives it, and the client side of the same request. */
  async function begun(headers: Record<string, string | number> = {}) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sender = request({ port: (server.address() as AddressInfo).port, method: 'POST', headers });
    sender.on('error', () => undefined).flushHeaders();
    endings.push(() => {
      sender.destroy();
      server.closeAllConnections();
      server.close();
    });
    const [incoming] = (await once(server, 'request')) as [IncomingMessage];
    return { incoming, sender };
  }

  const limits = (more: Partial<BodyLimits> = {}): BodyLimits => ({
    maxBytes: 100_000,
    inflates: true,
    share: new BodyBudget(MIB).shareOf({ name: 'a', isStranger: false }),
    ...more,
  });

  it.each([
    ['with a known length', { 'Content-Length': 60_000 }],
    ['in chunks', {}],
  ])('is read in full when it is sent %s and in pieces of every size', async (_, headers) => {
    const { incoming, sender } = await begun(headers);
    const sent = Buffer.from(Array.from({ length: 60_000 }, (__, at) => at % 251));
    const whole = bodyBytes(incoming, limits());
    for (const [from, to] of [
      [0, 1],
      [1, 20_000],
      [20_000, 20_001],
      [20_001, 60_000],
    ]) {
      sender.write(sent.subarray(from, to));
      await new Promise((resolve) => setImmediate(resolve));
    }
    sender.end();
    expect((await whole).bytes.equals(sent)).toBe(true);
  });

  it('is refused when it comes too slowly, or not at all', async () => {
    for (const piece of ['', 'a']) {
      const { incoming, sender } = await begun();
      sender.write(piece === '' ? Buffer.alloc(0) : piece);
      await expect(bodyBytes(incoming, limits({ slow: QUICK }))).rejects.toBeInstanceOf(RequestTimeout);
    }
  });

  it('is refused when a byte comes now and then, more slowly than any real sender', async () => {
    const { incoming, sender } = await begun();
    const drip = setInterval(() => sender.write('a'), 50);
    endings.push(() => clearInterval(drip));
    const slow = { idleMs: 300, bytesPerSecond: 1_000 };
    await expect(bodyBytes(incoming, limits({ slow }))).rejects.toBeInstanceOf(RequestTimeout);
  });

  it('is refused as soon as it is too large', async () => {
    const { incoming, sender } = await begun();
    sender.write(Buffer.alloc(100_001));
    await expect(bodyBytes(incoming, limits())).rejects.toBeInstanceOf(BodyTooLarge);
  });

  it('frees its room when it is complete, fails, or its sender disconnects', async () => {
    const budget = new BodyBudget(MIB);
    const share = budget.shareOf({ name: 'address', isStranger: true });
    const all = 4 * MIB;
    const isFree = (): void => share.takeNow(all)();

    const whole = await begun({ 'Content-Length': 3 });
    whole.sender.end('abc');
    const { release } = await bodyBytes(whole.incoming, limits({ share }));
    expect(isFree).toThrow(ServiceOverloaded);
    release();
    release();
    isFree();

    const compressed = await begun();
    compressed.sender.end(gzipSync(Buffer.alloc(50_000)));
    compressed.incoming.headers['content-encoding'] = 'gzip';
    const inflated = await bodyBytes(compressed.incoming, limits({ share }));
    expect(inflated.bytes).toHaveLength(50_000);
    expect(isFree).toThrow(ServiceOverloaded);
    inflated.release();
    isFree();

    const gone = await begun({ 'Content-Length': 50_000 });
    const broken = bodyBytes(gone.incoming, limits({ share }));
    gone.sender.write('abc');
    gone.sender.destroy();
    await expect(broken).rejects.toBeInstanceOf(RequestAborted);
    isFree();

    const full = share.takeNow(all);
    const refused = await begun();
    refused.sender.write('abc');
    await expect(bodyBytes(refused.incoming, limits({ share }))).rejects.toBeInstanceOf(ServiceOverloaded);
    full();
    isFree();
  });
});

describe('the budget of bodies in flight', () => {
  it('has room for other callers whatever one takes, and for known callers whatever strangers take', () => {
    const budget = new BodyBudget(MIB);
    const takenBy = (name: string, isStranger: boolean): number => {
      const share = budget.shareOf({ name, isStranger });
      let count = 0;
      try {
        for (; count < 1_000; count += 1) share.takeNow(MIB);
      } catch {
        // The caller has used its share of the budget.
      }
      return count;
    };
    expect(takenBy('a', false)).toBe(24);
    expect(takenBy('b', false)).toBe(18);
    for (let at = 0; at < 8; at += 1) expect(takenBy(`address ${at}`, true)).toBe(4);
    expect(takenBy('address 8', true)).toBe(0);
    expect(takenBy('c', false)).toBe(13);
  });
});
