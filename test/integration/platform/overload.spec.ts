import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { SLOW_SENDER_LIMITS } from '../../../src/platform/http/slow-sender.js';
import { BackgroundWork } from '../../../src/platform/background/background-work.js';
import { Passwords } from '../../../src/platform/crypto/index.js';
import { Mailer } from '../../../src/platform/mail/index.js';
import { RateLimitStore } from '../../../src/platform/rate-limit/index.js';
import { currentContext } from '../../../src/platform/telemetry/index.js';
import { ownerWithProject, PASSWORD, randomEmail, signedIn } from '../../support/actors.js';
import { createApiApp, optionsOfPool, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { failedSignIns } from '../../support/failed-sign-ins.js';
import { mailsTo, tokenIn, waitForMails } from '../../support/outbox.js';

const OVERLOADED = { detail: 'Service overloaded' };
const BACKGROUND = 'service-background';

describe('an overloaded service', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createApiApp({ env: { DATABASE_POOL_SIZE: '3', ENABLE_METRICS: 'true' } });
  });
  afterAll(() => app.close());
  afterEach(() => void jest.restoreAllMocks());

  const ask = (path: string, email: string) => app.request().post(`/v1/auth/${path}`).send({ email });
  const signIn = (username: string, password: string) =>
    app.request().post('/v1/auth/login').type('form').send({ username, password });
  const REQUESTS = ['password-reset/request', 'resend-verification'];

  it('keeps connections to the database for requests during a flood of requests for links', async () => {
    const owner = await ownerWithProject(app);
    const floods = REQUESTS.flatMap((path) => Array.from({ length: 60 }, () => ask(path, randomEmail())));
    const reads = Array.from({ length: 20 }, () =>
      app.request().get('/v1/organizations').set('Authorization', owner.bearer),
    );
    const answers = await Promise.all([...floods, ...reads]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await app.backgroundDone();
    const [{ connections } = { connections: 0 }] = await app.rows<{ connections: number }>(
      `SELECT count(*)::int AS connections FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = $1`,
      [BACKGROUND],
    );
    expect(connections).toBeGreaterThan(0);
    expect(connections).toBeLessThanOrEqual(3);
  });

  it('does the work of one request for many requests of one address, and counts them in its metrics', async () => {
    const actor = await signedIn(app);
    await Promise.all(Array.from({ length: 30 }, () => ask('password-reset/request', actor.email).expect(200)));
    await app.backgroundDone();
    const mails = (await mailsTo(app.dataDir, actor.email)).filter(
      ({ subject }) => subject === 'Choose a new password',
    );
    expect(mails).toHaveLength(1);
    const text = await app.metrics();
    expect(text).toMatch(/oes_background_work_total\{lane="request",outcome="folded"\} [1-9]/);
  });

  describe('a request without credentials', () => {
    /** Of a family with a rate limit, which is asked for before anything else is done. */
    const PATH = '/v1/analytics/nothing';
    const head = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: test\r\n${headers}\r\n`;
    const opened: Socket[] = [];

    afterEach(() => {
      for (const socket of opened.splice(0)) socket.destroy();
    });

    /** What a connection answers to the text that is written to it. */
    async function connection(
      text: string,
      localAddress = '127.0.0.1',
    ): Promise<{ socket: Socket; answers: string[] }> {
      const { hostname, port } = new URL(app.url);
      const socket = connect({ host: hostname, port: Number(port), localAddress });
      opened.push(socket);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      const answers: string[] = [];
      socket.setEncoding('latin1').on('data', (part: string) => answers.push(...(part.match(/HTTP\/1\.1 \d+/g) ?? [])));
      socket.write(text);
      return { socket, answers };
    }

    /** Has each request that has begun wait for its limit, until the function it returns is called. */
    function holdRequests(): { begun: () => number; letGo: () => void } {
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      const store = app.nest.get(RateLimitStore);
      const hit = store.hit.bind(store);
      const spy = jest.spyOn(store, 'hit').mockImplementation(async (...parameters) => {
        await held;
        return hit(...parameters);
      });
      return { begun: () => spy.mock.calls.length, letGo };
    }

    it('begins when fewer than eight of its connection have begun, and is answered in order', async () => {
      const { begun, letGo } = holdRequests();
      const { answers } = await connection(head(PATH).repeat(8) + head('/nope').repeat(40) + head(PATH).repeat(4));
      await eventually(begun, (count) => count === 8);
      // A whole exchange of another connection, in which nothing further has begun.
      await app.request().get('/health').expect(200);
      expect(begun()).toBe(8);
      letGo();
      await eventually(
        () => answers.length,
        (count) => count === 52,
      );
      expect(begun()).toBe(12);
    });

    it('is dropped with its connection when it has not begun, and aborted when it has', async () => {
      const lines = app.logLines.length;
      const { begun, letGo } = holdRequests();
      const { socket } = await connection(head(PATH).repeat(60));
      await eventually(begun, (count) => count === 8);
      socket.resetAndDestroy();
      letGo();
      await eventually(
        () => app.logLines.slice(lines).filter((line) => line.includes('"aborted":true')).length,
        (aborted) => aborted >= 7,
      );
      // What the connection still brings would have begun by now; what is written first may tell that nobody is there.
      await app.request().get('/nope').expect(404);
      expect(begun()).toBeLessThanOrEqual(16);
    });

    it('waits for other requests of its address, and neither for other addresses nor for callers with valid credentials', async () => {
      const owner = await ownerWithProject(app);
      const former = await ownerWithProject(app);
      const revoke = app.request().post(`/v1/api-keys/${former.apiKeyId}/revoke`);
      await revoke.set('Authorization', former.bearer).expect(200);
      const { begun, letGo } = holdRequests();
      const flood = await Promise.all(Array.from({ length: 40 }, () => connection(head(PATH))));
      await eventually(begun, (count) => count === 32);
      await app.request().get('/v1/organizations').set('Authorization', owner.bearer).expect(200);
      await app.request().get('/v1/nothing').set('X-API-Key', owner.apiKey).expect(404);
      await app.request().get('/health').expect(200);
      const elsewhere = await connection(head('/nope'), '127.0.0.2');
      await eventually(
        () => elsewhere.answers,
        ([answer]) => answer === 'HTTP/1.1 404',
      );
      const behind = await connection(head('/nope'));
      const revoked = await connection(head('/nope', `X-API-Key: ${former.apiKey}\r\n`));
      // A whole exchange, behind which both would have been answered.
      await app.request().get('/health').expect(200);
      expect([begun(), behind.answers, revoked.answers]).toEqual([32, [], []]);
      letGo();
      await eventually(
        () => [...flood, behind].flatMap(({ answers }) => answers).length,
        (count) => count === 41,
      );
    });

    it('is answered with 503 and Retry-After when too many requests of its address wait', async () => {
      const { begun, letGo } = holdRequests();
      const flood = await Promise.all(Array.from({ length: 180 }, () => connection(head(PATH).repeat(8))));
      await eventually(begun, (count) => count === 32);
      // Eight a connection have begun or wait; 32 and 1,280 of these have a place.
      const refused = await app.request().get('/nope').expect(503, OVERLOADED);
      expect(refused.headers['retry-after']).toBe('1');
      await app.request().get('/health').expect(200);
      letGo();
      for (const { socket } of flood) socket.destroy();
      await eventually(
        async () => (await app.request().get('/nope')).status,
        (status) => status === 404,
      );
    });

    it('leaves no listeners behind, of which Node would warn', async () => {
      const warnings: Error[] = [];
      const note = (warning: Error): void => void warnings.push(warning);
      process.on('warning', note);
      try {
        const paths = ['/nope', '/v1/auth/me', '/health', '/metrics', '/docs', '/openapi.json', '/console/', PATH];
        const { answers } = await connection(
          paths
            .map((path) => head(path))
            .join('')
            .repeat(20),
        );
        await eventually(
          () => answers.length,
          (count) => count >= 160,
        );
      } finally {
        process.off('warning', note);
      }
      expect(warnings.map(({ message }) => message)).toEqual([]);
    });
  });

  describe('a request body in flight', () => {
    const MIB = 1024 * 1024;

    /** A request of which all but the last bytes of the body are sent. */
    function unfinished(
      path: string,
      length: number,
      headers: Record<string, string>,
    ): ClientRequest & { status?: number } {
      const { hostname, port } = new URL(app.url);
      const sent: ClientRequest & { status?: number } = request({
        host: hostname,
        port,
        path,
        method: 'POST',
        agent: false,
        headers: { 'Content-Length': length, ...headers },
      });
      sent
        .on('error', () => undefined)
        .on('response', (response) => {
          sent.status = response.statusCode ?? 0;
          sent.emit('status', response);
          response.resume();
        });
      sent.write(Buffer.alloc(Math.max(0, length - 10), ' '));
      return sent;
    }

    /** The status of a body whose length the head does not say. */
    async function chunked(path: string, headers: Record<string, string>, body: string): Promise<number> {
      const { hostname, port } = new URL(app.url);
      const sent = request({ host: hostname, port, path, method: 'POST', agent: false, headers });
      sent.on('error', () => undefined).flushHeaders();
      sent.write(body);
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      sent.destroy();
      return response.statusCode ?? 0;
    }

    const lines = (apiKey: string) =>
      unfinished('/v1/events/ingest', 5 * MIB, { 'X-API-Key': apiKey, 'Content-Type': 'application/x-ndjson' });

    it('waits for the others of its organization and is refused when too many wait, while another organization sends', async () => {
      const [owner, other] = [await ownerWithProject(app), await ownerWithProject(app)];
      const ingest = (apiKey: string, type: string): Promise<number> => {
        const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/x-ndjson' };
        return chunked(
          '/v1/events/ingest',
          headers,
          JSON.stringify({ event_type: type, source: 'bodies', payload: {} }),
        );
      };
      const held = Array.from({ length: 90 }, () => lines(owner.apiKey));
      try {
        await eventually(
          () => held.filter(({ status }) => status === 503).length,
          (refused) => refused > 0,
        );
        expect(held.filter(({ status }) => status !== undefined && status !== 503)).toEqual([]);
        expect(await ingest(other.apiKey, 'of another')).toBe(200);
      } finally {
        for (const one of held) one.destroy();
      }
      await eventually(
        () => ingest(owner.apiKey, 'again'),
        (status) => status === 200,
      );
    });

    it('is answered with 408 when its sender stops, with and without credentials', async () => {
      jest.replaceProperty(SLOW_SENDER_LIMITS, 'idleMs', 150);
      const { apiKey } = await ownerWithProject(app);
      const stopped = [
        lines(apiKey),
        unfinished('/v1/events/ingest', 60_000, { 'X-API-Key': apiKey, 'Content-Type': 'application/json' }),
        unfinished('/v1/auth/login', 16_000, { 'Content-Type': 'application/x-www-form-urlencoded' }),
        unfinished('/v1/auth/register', 16_000, { 'Content-Type': 'application/json' }),
      ];
      const statuses = await eventually(
        () => stopped.map(({ status }) => status),
        (all) => !all.includes(undefined),
      );
      for (const one of stopped) one.destroy();
      expect(statuses).toEqual([408, 408, 408, 408]);
    });

    it.each([
      ['/v1/auth/verify-email', 'application/json'],
      ['/v1/auth/register', 'application/json'],
      ['/v1/auth/login', 'application/x-www-form-urlencoded'],
    ])('is answered with 413 for %s when it announces more than 16 KiB, before these have come', async (path, type) => {
      const sent = unfinished(path, 16 * 1024 + 1, { 'Content-Type': type });
      const [response] = (await once(sent, 'status')) as [IncomingMessage];
      expect(response.statusCode).toBe(413);
      sent.destroy();
      const body =
        type === 'application/json' ? JSON.stringify({ token: 'x'.repeat(17_000) }) : `a=${'x'.repeat(17_000)}`;
      expect(await chunked(path, { 'Content-Type': type }, body)).toBe(413);
      const within = app.request().post(path).set('Content-Type', type);
      await within.send(body.replace(/x+/, 'x'.repeat(15_000))).expect(422);
    });
  });

  describe('a registration whose mail is still to be sent', () => {
    const register = (password = PASSWORD) => {
      const email = randomEmail();
      return app
        .request()
        .post('/v1/auth/register')
        .send({ email, password: password === '' ? email : password });
    };
    /** Takes so many places of the client that the tests are, until it is let go. */
    function take(places: number, share = '127.0.0.1'): () => Promise<void> {
      let letGo = (): void => undefined;
      const end = new Promise<void>((resolve) => (letGo = resolve));
      const acts = Array.from({ length: places }, () => app.nest.get(BackgroundWork).promising(share, () => end));
      return async () => {
        letGo();
        await Promise.all(acts);
      };
    }
    beforeEach(() => app.backgroundDone());
    const accounts = async (): Promise<number> => (await app.rows('SELECT 1 FROM users')).length;

    it('needs one of the places of its client: of five with two places left, two are accepted and mailed', async () => {
      const before = await accounts();
      const letGo = take(62);
      const mailer = app.nest.get(Mailer);
      const send = mailer.send.bind(mailer);
      let mailServerIsBack = (): void => undefined;
      const back = new Promise<void>((resolve) => (mailServerIsBack = resolve));
      jest.spyOn(mailer, 'send').mockImplementation(async (mail) => {
        await back;
        return send(mail);
      });
      try {
        const answers = await Promise.all(Array.from({ length: 5 }, () => register()));
        const taken = answers.filter(({ status }) => status === 201);
        expect(taken).toHaveLength(2);
        for (const { status, body, headers } of answers.filter((answer) => !taken.includes(answer))) {
          expect([status, body]).toEqual([429, { detail: 'Too many requests at once' }]);
          expect(headers['retry-after']).toBe('1');
        }
        expect(await accounts()).toBe(before + taken.length);
        mailServerIsBack();
        await app.backgroundDone();
        for (const { body } of taken)
          expect(await mailsTo(app.dataDir, (body as { email: string }).email)).toHaveLength(1);
      } finally {
        mailServerIsBack();
        await letGo();
      }
    });

    it('is accepted while another client uses all of its own places', async () => {
      const letGo = take(64, '192.0.2.1');
      try {
        await register().expect(201);
      } finally {
        await letGo();
      }
    });

    it('is refused with 503 when all places are taken, and gives its place back when it is refused', async () => {
      const before = await accounts();
      const letGo = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].map((share) => take(64, share));
      try {
        await register().expect(503, OVERLOADED);
      } finally {
        for (const one of letGo) await one();
      }
      expect(await accounts()).toBe(before);
      const { bearer } = await ownerWithProject(app);
      await app.backgroundDone();
      const last = take(63);
      try {
        for (let one = 0; one < 3; one += 1) await register('').expect(422);
        const remove = app.request().post('/v1/account/delete').set('Authorization', bearer);
        await remove.send({ current_password: PASSWORD }).expect(409);
        await register().expect(201);
      } finally {
        await last();
      }
    });
  });

  describe('an address with or without an account', () => {
    /** The statements that a request causes before or after its answer, whatever their values. */
    async function statementsOf(
      request: () => Promise<unknown>,
      when: 'before' | 'after' = 'after',
    ): Promise<string[]> {
      await app.backgroundDone();
      const seen: string[] = [];
      const query = Reflect.get(pg.Client.prototype, 'query') as (...parameters: unknown[]) => unknown;
      jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
        this: pg.Client & { connectionParameters: { application_name: string } },
        ...parameters: unknown[]
      ) {
        const [statement] = parameters;
        const isAfter = this.connectionParameters.application_name === BACKGROUND;
        const isAsked = isAfter ? when === 'after' : when === 'before' && currentContext() !== undefined;
        if (isAsked && typeof statement === 'string')
          seen.push(statement.replace('stranger_hash = $1', 'user_id = $1').replaceAll(/\s+/g, ' '));
        return query.apply(this, parameters);
      });
      await request();
      await app.backgroundDone();
      jest.restoreAllMocks();
      return seen;
    }
    const rowsOf = async (): Promise<number[]> => {
      const [row] = await app.rows<{ tokens: number; events: number }>(
        `SELECT (SELECT count(*)::int FROM user_tokens) AS tokens, (SELECT count(*)::int FROM security_events) AS events`,
      );
      return [row?.tokens ?? 0, row?.events ?? 0];
    };

    async function unverified(): Promise<string> {
      const email = randomEmail();
      await app.request().post('/v1/auth/register').send({ email, password: PASSWORD }).expect(201);
      await app.rows(`UPDATE user_tokens SET created_at = now() - interval '61 seconds'`);
      return email;
    }

    it.each(REQUESTS)('causes the same statements for %s, also when it is requested again', async (path) => {
      const verified = (await signedIn(app)).email;
      const addresses = [verified, await unverified(), randomEmail()];
      const first: string[][] = [];
      const again: string[][] = [];
      const written: string[] = [];
      for (const email of addresses) {
        const before = await rowsOf();
        first.push(await statementsOf(() => ask(path, email).expect(200)));
        again.push(await statementsOf(() => ask(path, email).expect(200)));
        written.push((await rowsOf()).map((count, at) => count - (before[at] ?? 0)).join(' '));
      }
      expect(new Set(written).size).toBe(1);
      expect(first[0]?.filter((statement) => statement.startsWith('INSERT')).length).toBeGreaterThan(0);
      expect(first[0]).toContain('COMMIT');
      expect(first[1]).toEqual(first[0]);
      expect(first[2]).toEqual(first[0]);
      expect(again[1]).toEqual(again[0]);
      expect(again[2]).toEqual(again[0]);
    });

    it('causes the same statements after failed sign-ins up to the lock', async () => {
      const known = (await signedIn(app)).email;
      const stranger = randomEmail();
      for (const email of [known, stranger]) await failedSignIns(app, email, 20);
      const fail = (email: string) => async (): Promise<void> => {
        for (let one = 0; one < 10; one += 1) await signIn(email, 'wrong-guess').expect(401);
      };
      const [ofKnown, ofStranger] = [await statementsOf(fail(known)), await statementsOf(fail(stranger))];
      const records = (statements: string[]) => statements.filter((statement) => statement.startsWith('INSERT'));
      expect(records(ofStranger)).toHaveLength(11);
      expect(records(ofKnown)).toEqual(records(ofStranger));
    });

    it('causes the same statements at a registration, whether it is unknown, unconfirmed, disputed or confirmed', async () => {
      const register =
        (email: string, password = PASSWORD) =>
        () =>
          app.request().post('/v1/auth/register').send({ email, password }).expect(201);
      const disputed = await unverified();
      await register(disputed, 'another-password-of-this')();
      await app.backgroundDone();
      await app.rows(`UPDATE user_tokens SET created_at = now() - interval '61 seconds'`);
      const ofUnknown = await statementsOf(register(randomEmail()), 'before');
      expect(ofUnknown.filter((statement) => statement.startsWith('INSERT'))).toHaveLength(3);
      expect(ofUnknown).toContain('COMMIT');
      const verified = (await signedIn(app)).email;
      const waiting = await unverified();
      const registrations = {
        'of a waiting one': register(waiting),
        'of a waiting one, again': register(waiting),
        'of a waiting one, with another password': register(waiting, 'another-password-of-this'),
        'of one whose passwords are void': register(disputed),
        'of a confirmed one': register(verified),
        'of a confirmed one, again': register(verified, 'another-password-of-this'),
      };
      for (const [what, registration] of Object.entries(registrations)) {
        expect([what, await statementsOf(registration, 'before')]).toEqual([what, ofUnknown]);
      }
      expect(await statementsOf(register(randomEmail()))).toEqual([]);
      expect(await statementsOf(register(verified))).toEqual([]);
    });

    it('causes the same refusals of a confirmation, which reads the token first', async () => {
      const confirm = (email: string, token: string) => () =>
        app
          .request()
          .post('/v1/auth/verify-email')
          .send({ email, token })
          .expect(400, { detail: 'Invalid or expired verification token' });
      const [verified, waiting] = [(await signedIn(app)).email, await unverified()];
      const token = tokenIn((await waitForMails(app.dataDir, waiting, 1))[0] as never);
      const ofUnknown = await statementsOf(confirm(randomEmail(), 'x'.repeat(43)), 'before');
      // One look-up of the token and nothing else: no account, no transaction, no lock.
      expect(ofUnknown).toEqual([expect.stringMatching(/^SELECT .* FROM user_tokens /)]);
      for (const email of [verified, waiting]) {
        expect(await statementsOf(confirm(email, 'x'.repeat(43)), 'before')).toEqual(ofUnknown);
      }
      // Who has a token may know its address, and learns of no other; refusing takes no lock and uses nothing up.
      const ofStranger = await statementsOf(confirm(randomEmail(), token), 'before');
      expect(ofStranger.map((statement) => statement.slice(0, 6))).toEqual(['SELECT', 'SELECT']);
      expect(await statementsOf(confirm(verified, token), 'before')).toEqual(ofStranger);
      const passwords = app.nest.get(Passwords);
      const hashes = [jest.spyOn(passwords, 'hash'), jest.spyOn(passwords, 'verify')];
      await confirm(waiting, 'x'.repeat(43))();
      const reset = app.request().post('/v1/auth/password-reset/confirm');
      await reset.send({ token: 'x'.repeat(43), password: PASSWORD }).expect(400);
      for (const hash of hashes) expect(hash).not.toHaveBeenCalled();
      await app.request().post('/v1/auth/verify-email').send({ email: waiting, token }).expect(200);
      await confirm(waiting, token)();
    });

    it('is not stored when it belongs to no account', async () => {
      await ask('password-reset/request', 'stranger@example.com').expect(200);
      await app.backgroundDone();
      expect(JSON.stringify(await app.rows('SELECT * FROM user_tokens WHERE user_id IS NULL'))).not.toContain(
        'stranger@',
      );
    });
  });

  describe('a service without a free connection to the database', () => {
    it('returns 503 with Retry-After, and works again when a connection is free', async () => {
      const owner = await ownerWithProject(app);
      const source = app.nest.get(DataSource);
      const options = optionsOfPool(app.nest);
      const usual = options.connectionTimeoutMillis;
      const runners = Array.from({ length: 3 }, () => source.createQueryRunner());
      try {
        await Promise.all(runners.map((runner) => runner.connect()));
        options.connectionTimeoutMillis = 50;
        const answers = await Promise.all([
          app.request().get('/v1/organizations').set('Authorization', owner.bearer),
          app.request().get(`/v1/logs?project_id=${owner.projectId}`).set('Authorization', owner.bearer),
          signIn(owner.email, PASSWORD),
          app
            .request()
            .post('/v1/organizations')
            .set('Authorization', owner.bearer)
            .send({ name: 'Late', slug: 'late' }),
        ]);
        for (const { status, body, headers } of answers) {
          expect([status, body]).toEqual([503, OVERLOADED]);
          expect(headers['retry-after']).toBe('1');
        }
        // What is answered before anything is looked up is not held up by it, nor is what follows.
        await ask('password-reset/request', owner.email).expect(200);
        await app.backgroundDone();
        const mails = await mailsTo(app.dataDir, owner.email);
        expect(mails.map(({ subject }) => subject)).toContain('Choose a new password');
      } finally {
        await Promise.all(runners.map((runner) => runner.release()));
        options.connectionTimeoutMillis = usual;
      }
      const { body } = await app.request().get('/v1/organizations').set('Authorization', owner.bearer).expect(200);
      expect((body as { slug: string }[]).map(({ slug }) => slug)).not.toContain('late');
    });
  });
});
