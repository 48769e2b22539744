import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ApiClient } from '../api-client.js';
import { SignIn } from '../workspace.js';
import { sendLive, showShop } from './index.js';
import { DAILY_PACE, Story } from './story.js';

const BEGIN = Date.UTC(2026, 2, 14, 9, 30);
const MINUTE_MS = 60_000;

describe('sendLive', () => {
  beforeEach(() => void jest.useFakeTimers({ now: BEGIN }));
  afterEach(() => void jest.useRealTimers());

  /** Runs until the signal aborts. @returns the times between which events were sent, in milliseconds after `BEGIN` */
  async function spansOf(stop: AbortController, send: (spans: number) => Promise<void>): Promise<[number, number][]> {
    const spans: [number, number][] = [];
    await sendLive({
      shop: {
        story: new Story(DAILY_PACE, new Date(BEGIN)),
        between: (from, to) => {
          spans.push([from.getTime() - BEGIN, to.getTime() - BEGIN]);
          return [];
        },
      },
      since: new Date(BEGIN - 500),
      rate: 1,
      outlet: { accepted: 0, send: () => send(spans.length) },
      print: () => undefined,
      signal: stop.signal,
      wait: async (ms) => jest.advanceTimersByTime(ms),
    });
    return spans;
  }

  /** Sends one part of the events for each duration, which is how long the service takes to accept that part. */
  function spansWhenSlow(sendingMs: readonly number[]): Promise<[number, number][]> {
    const stop = new AbortController();
    return spansOf(stop, async (spans) => {
      jest.advanceTimersByTime(sendingMs[spans - 1] ?? 0);
      if (spans >= sendingMs.length) stop.abort();
    });
  }

  it('leaves no gap after the past, nor after a request that takes long', async () => {
    expect(await spansWhenSlow([0, 90_000, 0])).toEqual([
      [-500, 1_000],
      [1_000, 2_000],
      [2_000, 93_000],
    ]);
  });

  it('skips the time during which the machine slept', async () => {
    expect(await spansWhenSlow([6 * MINUTE_MS, 0, 0])).toEqual([
      [-500, 1_000],
      [362_000, 362_000],
      [362_000, 363_000],
    ]);
  });

  it('ends without an error when it is stopped while a request fails', async () => {
    const stop = new AbortController();
    const failure = new Error('no answer');
    const send = (stops: boolean) => async (): Promise<void> => {
      if (stops) stop.abort();
      throw failure;
    };
    await expect(spansOf(stop, send(false))).rejects.toBe(failure);
    expect(await spansOf(stop, send(true))).toHaveLength(1);
  });
});

describe('showShop', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  interface Reply {
    readonly status: number;
    /** The reason for which each event is refused. */
    readonly detail?: string;
    readonly retryAfter?: string;
  }

  /**
   * Shows a day at a service that gives the same answer to each request with events.
   * @param stopsAt the beginning of the path of a request or of a printed line, at which the signal aborts
   */
  async function show({ status, detail, retryAfter }: Reply, stopsAt?: string) {
    const stop = new AbortController();
    const lines: string[] = [];
    const paths: string[] = [];
    const note = (list: string[], text: string): void => {
      list.push(text);
      if (stopsAt !== undefined && text.startsWith(stopsAt)) stop.abort();
    };
    server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        note(paths, request.url ?? '');
        if (request.url !== '/v1/events/ingest') {
          // Each call of the demo reads some of these members.
          const body = { access_token: 't', access_expires_in: 900, id: 'i', key: { key: 'k' } };
          return response.end(JSON.stringify(body));
        }
        const results = text.split('\n').map((_, index) => ({ line: index + 1, accepted: status === 200, detail }));
        const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
        return response.writeHead(status, headers).end(JSON.stringify({ detail: 'All were refused', results }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const credentials = { email: 'a@example.com', password: 'p' };
    const end = await showShop({
      client,
      signIn: new SignIn(client, credentials),
      workspace: { ...credentials, organizationId: 'o', projectId: 'p', apiKey: 'k' },
      seed: 1,
      count: 3_000,
      historyDays: 1,
      isLive: false,
      print: (line) => note(lines, line),
      signal: stop.signal,
    }).catch((error: unknown) => error);
    return { end, lines, paths };
  }

  it('says that nothing is complete when it is stopped before the first event', async () => {
    const { end, lines, paths } = await show({ status: 200 }, '/v1/ingest-sources');
    expect(end).toBe(false);
    expect(lines).toEqual(['Stopped: no day is complete.']);
    expect(paths.at(-1)).toBe('/v1/ingest-sources');
  });

  it('sends no further request when it is stopped in the middle of a day', async () => {
    const { end, lines, paths } = await show({ status: 200 }, '/v1/events/ingest');
    expect(end).toBe(false);
    expect(lines).toEqual(['Stopped: no day is complete.']);
    expect(paths.filter((path) => path === '/v1/events/ingest')).toHaveLength(1);
  });

  it('ends at once when it is stopped during a pause that the service asked for', async () => {
    const refusal = { status: 429, detail: 'Rate limit exceeded', retryAfter: '60' };
    const { end, lines, paths } = await show(refusal, 'waiting 60 s');
    expect(end).toBe(false);
    expect(lines).toEqual(['waiting 60 s: All were refused', 'Stopped: no day is complete.']);
    expect(paths.filter((path) => path === '/v1/events/ingest')).toHaveLength(1);
  });

  it('explains the quota when it is the reason of a refusal, and only then', async () => {
    const ofQuota = await show({ status: 403, detail: 'Monthly quota exceeded (events)' });
    expect(ofQuota.end).toMatchObject({
      name: 'DemoError',
      message: expect.stringMatching(/^Monthly quota exceeded \(events\)\nThe monthly quota of a free organization /),
    });
    server?.close();
    const ofOther = await show({ status: 422, detail: 'The event is too large' });
    expect(ofOther.end).toMatchObject({ name: 'DemoError', message: 'The event is too large' });
  });
});
