import { request as httpRequest } from 'node:http';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../../support/actors.js';
import type { TestApp } from '../../../support/app.js';
import { countEvents, insertEvents } from '../../../support/event-rows.js';
import { at, LOGINS, WINDOW } from '../../../support/login-events.js';
import { describeOfPostgres, itOfPostgres } from '../../../support/second-store.js';
import { lockedTable } from '../../../support/table-lock.js';
import { RunLimits } from '../../../../src/modules/events/eql/running/run-limits.js';
import { LongReads } from '../../../../src/modules/events/long-reads/index.js';

interface Answer {
  readonly events: { readonly id: string }[];
  readonly warnings: string[];
}

export function describeEql(service: () => TestApp): void {
  describe('An EQL query under its limits', () => {
    let app: TestApp;
    let owner: Owner;
    /** The number of log lines before these tests. */
    let logged: number;
    const names = new Map<string, string>();

    const post = (body: object, bearer = owner.bearer) =>
      app.request().post('/v1/eql').set('Authorization', bearer).send(body);
    const run = async (query: string, more: object = {}): Promise<Answer> => {
      const { status, body } = await post({ project_id: owner.projectId, query, ...WINDOW, ...more });
      expect([query, status, status === 200 ? null : body]).toEqual([query, 200, null]);
      return body as Answer;
    };
    /** The events that a query found, by the property `n`. */
    const found = async (query: string): Promise<string[]> =>
      (await run(query)).events.map(({ id }) => names.get(id) ?? '?');
    const limits = (): RunLimits => app.nest.get(RunLimits);

    beforeAll(async () => {
      app = service();
      logged = app.logLines.length;
      limits().warningMilliseconds = 60_000;
      owner = await ownerWithProject(app, 'Tea House');
      const ids = await insertEvents(app, owner.projectId, LOGINS);
      for (const [index, id] of ids.entries()) names.set(id, String(LOGINS[index]?.properties?.n));
      // Ingestion stores the size of an event. Events of earlier versions have none.
      await app.rows('UPDATE events SET bytes = octet_length(properties::text) WHERE id = ANY ($1)', [ids.slice(0, 8)]);
      await countEvents(app);
    });
    afterEach(() => {
      Object.assign(limits(), new RunLimits(), { warningMilliseconds: 60_000 });
    });

    const query = { query: 'any where true', ...WINDOW };

    it('is answered when it is as large as the language permits', async () => {
      // A slow machine may take longer than eight seconds.
      limits().milliseconds = 120_000;
      const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
      const some = (count: number): string =>
        numbers(count)
          .map((n) => `a.b${n} == ${n}`)
          .join(' or ');
      await run(`any where ${some(330)}`);
      await run(
        `any where ${numbers(330)
          .map((n) => `startsWith~(p${n}, "k${n}")`)
          .join(' or ')}`,
      );
      await run(`any where ${'not ('.repeat(25)}n == "f1"${')'.repeat(25)}`);
      await run(`any where tries == ${'1 + '.repeat(490)}tries`);
      await run(`any where n in (${numbers(998).join(',')}, "f1", "f2")`);
      await run(
        `any where ${numbers(30)
          .map((n) => `n like "${'*a?'.repeat(100)}${n}"`)
          .join(' or ')}`,
      );
      const keys = numbers(10)
        .map((n) => `?key${n}`)
        .join(', ');
      await run(`sequence by ${keys} with maxspan=30d ${`[any where ${some(10)}] with runs=5 `.repeat(20)}`);
      await run(`sample by ${keys} ${`[any where ${some(60)}] `.repeat(5)}`, { max_samples_per_key: 100 });
    });

    // ClickHouse first finds the keys that have all events of a sequence. Here these are too few to reach the limit.
    itOfPostgres('returns 503 when its sequences keep too much and it has no maxspan', async () => {
      limits().pendingPartials = 3;
      const body = { project_id: owner.projectId, ...WINDOW };
      const { body: refused } = await post({
        ...body,
        query: 'sequence by n [any where true] [any where false]',
      }).expect(503);
      expect(refused).toEqual({ detail: 'EQL query needs too much memory: add a maxspan or narrow it down' });
      await post({
        ...body,
        query: 'sequence by n with maxspan=15s [any where true] [any where user == "none"]',
      }).expect(200);
      await post({ ...body, query: 'sequence [any where true] [any where user == "none"]' }).expect(200);
    });

    describeOfPostgres('A query that waits for PostgreSQL', () => {
      it('returns 503 after its time, and when no slot becomes free for a while', async () => {
        limits().milliseconds = 4_000;
        const slots = app.nest.get(LongReads);
        const { timeoutMs } = slots.limits;
        slots.limits.timeoutMs = 500;
        await lockedTable(app, 'events', async () => {
          const answers = await Promise.all([1, 2].map(() => post({ project_id: owner.projectId, ...query })));
          const told = answers.map(({ status, body, headers }) => [
            status,
            (body as { detail: string }).detail,
            headers['retry-after'],
          ]);
          expect(told).toContainEqual([503, 'Query took too long: choose a shorter range or a narrower filter', '5']);
          expect(told).toContainEqual([503, 'Too many queries at once', '2']);
        });
        slots.limits.timeoutMs = timeoutMs;
        expect(await found('any where n == "f1"')).toEqual(['f1']);
      });

      it('is answered, like other short reads of a tenant, while other tenants have all slots of long reads', async () => {
        const slots = app.nest.get(LongReads);
        let release: () => void = () => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        const others = await Promise.all([ownerWithProject(app), ownerWithProject(app)]);
        const busy = others.map((other) => slots.run(other, () => held));
        const { shortMs } = slots.limits;
        // Nothing is refused because the machine is busy.
        slots.limits.shortMs = 60_000;
        const about = `project_id=${owner.projectId}&range=all`;
        try {
          const answers = await Promise.all([
            post({ project_id: owner.projectId, ...query }),
            ...[
              `logs?${about}&query=f1`,
              `analytics/breakdown?${about}&by=properties.n`,
              `search?${about}&q=order`,
            ].map((path) => app.request().get(`/v1/${path}`).set('Authorization', owner.bearer)),
          ]);
          expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        } finally {
          slots.limits.shortMs = shortMs;
          release();
          await Promise.all(busy);
        }
      });

      it('is refused at once when it is long and its organization has used up its minute, unlike that of another one', async () => {
        const slots = app.nest.get(LongReads);
        const usual = { ...slots.limits };
        Object.assign(slots.limits, { shortMs: 200, budgetMs: 500 });
        limits().milliseconds = 1_000;
        const [spender, other] = await Promise.all([ownerWithProject(app), ownerWithProject(app)]);
        const asked = (who: Owner) =>
          post({ project_id: who.projectId, query: 'any where true', range: 'all' }, who.bearer);
        const tooLong = { detail: 'Query took too long: choose a shorter range or a narrower filter' };
        try {
          await lockedTable(app, 'events', async () => {
            await asked(spender).expect(503, tooLong);
            const { headers } = await asked(spender).expect(503, { detail: 'Too many queries at once' });
            expect(Number(headers['retry-after'])).toBeGreaterThan(50);
            expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
            await asked(other).expect(503, tooLong);
          });
          slots.limits.shortMs = 60_000;
          await asked(spender).expect(200);
        } finally {
          Object.assign(slots.limits, usual);
        }
      });

      /** A request that is closed once it waits for a table. */
      async function closed(table: string, method: string, path: string, asked?: object): Promise<void> {
        await lockedTable(app, table, async (lock) => {
          const body = asked === undefined ? '' : JSON.stringify({ project_id: owner.projectId, ...asked });
          const request = httpRequest(`${app.url}${path}`, {
            method,
            headers: {
              Authorization: owner.bearer,
              'Content-Type': 'application/json',
              'Content-Length': Buffer.byteLength(body),
            },
          });
          request.on('error', () => undefined);
          request.end(body);
          await lock.until('waited for');
          request.destroy();
          await lock.until('left alone');
        });
      }

      it.each([
        ['events', 'any where true'],
        ['events asked one by one', 'any where length(user) == 3'],
        ['a sequence', 'sequence by user with maxspan=1m [any where true] ![login.failed where true] [any where true]'],
        ['samples', 'sample by user [any where true] [any where length(n) == 2]'],
      ])('leaves no statement running when its request is closed, for %s', async (_, text) => {
        await closed('events', 'POST', '/v1/eql', { query: text, ...WINDOW });
        // The closed request holds no slot any more.
        expect(await found('any where n == "f1"')).toEqual(['f1']);
        expect(app.logLines.slice(logged).filter((line) => line.includes('"level":"error"'))).toEqual([]);
      });

      it('leaves no search for names running when its request is closed, nor does the description of the language', async () => {
        // Where the events are that names are looked for in, and those of the query are not.
        const now = new Date(Date.now() - 1_000).toISOString();
        const unknown = { query: 'any where usr == "ann"', from_ts: now };
        await closed('events_default', 'POST', '/v1/eql', unknown);
        await closed('events_default', 'GET', `/v1/eql?project_id=${owner.projectId}`);
        expect((await run('any where usr == "ann"')).warnings).toHaveLength(1);
        expect(app.logLines.slice(logged).filter((line) => line.includes('"level":"error"'))).toEqual([]);
      });

      it('has no warnings when these take too long, while the description of the language returns 503 after its time', async () => {
        limits().warningMilliseconds = 50;
        await lockedTable(app, 'events_default', async () => {
          const now = new Date(Date.now() - 1_000).toISOString();
          const asked = { project_id: owner.projectId, query: 'any where usr == "ann"', from_ts: now };
          expect((await post(asked).expect(200)).body).toMatchObject({ events: [], warnings: [] });
          limits().milliseconds = 1_000;
          const language = app
            .request()
            .get(`/v1/eql?project_id=${owner.projectId}`)
            .set('Authorization', owner.bearer);
          await language.expect(503, { detail: 'Query took too long: choose a shorter range or a narrower filter' });
        });
      });
    });

    itOfPostgres('returns 503 when its keys are too large to keep', async () => {
      const large = await ownerWithProject(app);
      const text = 'x'.repeat(900_000);
      await insertEvents(
        app,
        large.projectId,
        Array.from({ length: 8 }, (_, n) => at(n, 'large', { n, text })),
      );
      limits().pendingPartials = 1_000;
      await post(
        { project_id: large.projectId, query: 'sequence by text [any where true] [any where false]', ...WINDOW },
        large.bearer,
      ).expect(503);
    });
  });
}
