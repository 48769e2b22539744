import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.js';
import { IngestionApi } from './ingestion-api.js';
import { Api } from './service.js';
import type { IngestionDatabase } from './sql-builders/ingestion.js';
import { monthOf, utcDay } from './utc-day.js';

/** A tenant whose API key belongs to no Event Source. */
interface IngestionTenant {
  readonly accessToken: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKey: string;
  readonly apiKeyId: string;
}

/** A service in one ingest mode. */
export interface IngestionService {
  readonly url: string;
  readonly upgradeUrl: string;
  /** The monthly number of requests in the plan "free". */
  readonly monthlyRequests: number;
  readonly database: IngestionDatabase;
  newTenant(): Promise<IngestionTenant>;
  /** Resolves when every accepted event is stored. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const EVENT = { event_type: 'order.paid', source: 'shop', payload: { latency_ms: 12 } };
const ALL_REFUSED = 'All events of the batch were refused';
const DAY_MS = 86_400_000;

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** Defines the tests of the rules that hold in every ingest mode. */
export function describeIngestion(mode: 'direct' | 'batched' | 'queued', start: () => Promise<IngestionService>): void {
  describe(`ingestion in ${mode} mode`, () => {
    let service: IngestionService;
    let database: IngestionDatabase;
    let sender: IngestionApi;
    let upgrade: Record<string, string>;
    const projectIds: string[] = [];

    beforeAll(async () => {
      service = await start();
      ({ database } = service);
      sender = new IngestionApi(new Api({}, service.url));
      upgrade = { 'x-service-upgrade-url': service.upgradeUrl };
    });
    afterAll(() => service.close());

    const tenant = async (): Promise<IngestionTenant> => {
      const created = await service.newTenant();
      projectIds.push(created.projectId);
      return created;
    };
    const storedEvents = async ({ projectId }: IngestionTenant): Promise<number> => {
      await service.settled();
      return (await database.storedEvents(projectId)).length;
    };
    const refusals = ({ apiKeyId }: IngestionTenant) => database.refusals(apiKeyId);

    it('reports in body and headers whether an event is stored before the answer', async () => {
      const acme = await tenant();
      const persisted = mode !== 'queued';
      const answer = await sender.ingest(acme.apiKey, EVENT);
      expect(answer).toMatchObject({
        status: 200,
        body: { accepted: true, duplicate: false, ingest_mode: mode, persisted_synchronously: persisted },
        headers: { 'x-service-ingest-mode': mode, 'x-service-persisted-synchronously': String(persisted) },
      });
      await service.settled();
      expect(await database.storedEvents(acme.projectId)).toMatchObject([
        { id: answer.body.ingested_event_id, event: 'order.paid' },
      ]);
    });

    it('refuses an event whose text is longer when it is read than when it was sent, and stores the rest of the batch', async () => {
      const acme = await tenant();
      const huge = `{"event_type":"huge","source":"s","payload":{"a":[${'1e308,'.repeat(20_000)}1]}}`;
      const fault = { type: 'value_error', loc: ['body'], input: null, msg: expect.stringContaining('2097152 bytes') };
      expect(await sender.ingest(acme.apiKey, huge)).toMatchObject({ status: 422, body: { detail: [fault] } });
      expect(await sender.lines(acme.apiKey, [EVENT, huge, EVENT])).toMatchObject({
        status: 200,
        body: { accepted: 2, results: [{ accepted: true }, { accepted: false, detail: [fault] }, { accepted: true }] },
      });
      expect(await storedEvents(acme)).toBe(2);
    });

    it('stores with each event the size of its properties as they are read', async () => {
      const acme = await tenant();
      const numbers = [1e21, -1.5e-7, 5e-324, 1.7976931348623157e308, 0.1, -0, 12345678901234567890];
      const texts = ['\u0001 \n "\\', '値', '😀', 'e1,:"'];
      await sender.lines(acme.apiKey, [
        EVENT,
        { ...EVENT, payload: { numbers, texts, 'a:",b': { c: [[], {}, true] } } },
      ]);
      await service.settled();
      expect(await database.propertiesOfWrongSize(acme.projectId)).toEqual([]);
      expect(await storedEvents(acme)).toBe(2);
    });

    describe('an Idempotency-Key', () => {
      it('returns the first answer for the same request again, which takes no quota and is metered', async () => {
        const acme = await tenant();
        const first = await sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': 'order-1' });
        const again = await sender.ingest(
          acme.apiKey,
          // The order of members, spaces and unknown fields do not make a different request.
          `{"source": "shop", "unknown": 1, "payload": {"latency_ms": 12.0}, "event_type": "order.paid"}`,
          { 'Idempotency-Key': '  order-1 ' },
        );
        expect(first.body).toMatchObject({ duplicate: false });
        expect(again).toMatchObject({ status: 200, body: { ...first.body, duplicate: true } });
        expect(again.headers['x-service-ingest-mode']).toBe(mode);
        expect(await storedEvents(acme)).toBe(1);
        const third = await sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': 'order-1' });
        expect(third.body).toEqual(again.body);
        const elsewhere = { ...EVENT, payload: undefined, properties: EVENT.payload };
        const fourth = await sender.ingest(acme.apiKey, elsewhere, { 'Idempotency-Key': 'order-1' });
        expect(fourth.body).toEqual(again.body);
        expect(await storedEvents(acme)).toBe(1);
        await eventually(
          () => database.countedMonths(acme.organizationId),
          (rows) => JSON.stringify(rows) === '[{"events":1,"requests":4}]',
        );
      });

      it('repeats the first answer byte for byte, with the mode that gave it', async () => {
        const acme = await tenant();
        const event = `{"event_type":"e","source":"s","payload":{"zz":1,"b":{"y":1e21,"a":-0.5},"__proto__":[]},"status":"ok"}`;
        const key = { 'Idempotency-Key': 'bytes' };
        const first = await sender.ingest(acme.apiKey, event, key);
        const asDuplicate = first.text.replace('"duplicate":false', '"duplicate":true');
        expect((await sender.ingest(acme.apiKey, event, key)).text).toBe(asDuplicate);
        await service.settled();
        expect((await sender.ingest(acme.apiKey, event, key)).text).toBe(asDuplicate);

        const lines = ['{"event_type":1,"source":"s","payload":{"zz":1,"b":2}}', event];
        const batch = await sender.lines(acme.apiKey, lines, { 'Idempotency-Key': 'lines' });
        await service.settled();
        const again = await sender.lines(acme.apiKey, lines, { 'Idempotency-Key': 'lines' });
        expect(again.text).toBe(batch.text.replace(/}$/, ',"duplicate":true}'));

        if (mode === 'queued') return;
        await database.storeQueuedAnswer(acme.apiKeyId, 'bytes');
        const queued = await sender.ingest(acme.apiKey, event, key);
        expect(queued.body).toMatchObject({
          duplicate: true,
          ingest_mode: 'queued',
          persisted_synchronously: false,
          properties: { b: 1 },
        });
        expect(queued.headers).toMatchObject({
          'x-service-ingest-mode': 'queued',
          'x-service-persisted-synchronously': 'false',
        });
      });

      it('is refused with 422 when the header comes twice', async () => {
        const acme = await tenant();
        expect(await sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': ['one', 'two'] })).toMatchObject({
          status: 422,
          body: { detail: [{ type: 'value_error', loc: ['header', 'idempotency-key'] }] },
        });
        expect(await storedEvents(acme)).toBe(0);
      });

      it.each([
        ['another type', { ...EVENT, event_type: 'order.lost' }],
        ['another property', { ...EVENT, payload: { latency_ms: 13 } }],
        ['a timestamp', { ...EVENT, timestamp: '2026-01-01T00:00:00Z' }],
      ])('is refused with 409 for a request with %s', async (_, body) => {
        const acme = await tenant();
        await sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': 'reused' });
        const before = await storedEvents(acme);
        expect(before).toBe(1);
        expect(await sender.ingest(acme.apiKey, body, { 'Idempotency-Key': 'reused' })).toMatchObject({
          status: 409,
          body: { detail: 'Idempotency-Key already used with different request payload' },
        });
        expect(await storedEvents(acme)).toBe(before);
      });

      it('belongs to one API key', async () => {
        const [acme, globex] = [await tenant(), await tenant()];
        for (const { apiKey } of [acme, globex]) {
          const event = { ...EVENT, source: apiKey.slice(0, 12) };
          expect((await sender.ingest(apiKey, event, { 'Idempotency-Key': 'same' })).body).toMatchObject({
            duplicate: false,
          });
        }
      });

      it.each([
        ['', 'string_too_short'],
        ['   ', 'string_too_short'],
        ['x'.repeat(201), 'string_too_long'],
      ])('is refused when it is "%s", with %s', async (key, type) => {
        const acme = await tenant();
        expect(await sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': key })).toMatchObject({
          status: 422,
          body: { detail: [{ type, loc: ['header', 'idempotency-key'] }] },
        });
      });

      it('may have 200 characters', async () => {
        const acme = await tenant();
        expect((await sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': 'x'.repeat(200) })).status).toBe(200);
      });

      it('stores one event for a hundred parallel requests', async () => {
        const acme = await tenant();
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': 'parallel' })),
        );
        const accepted = answers.filter(({ status }) => status === 200);
        expect(new Set(accepted.map(({ body }) => body.ingested_event_id)).size).toBe(1);
        expect(accepted.filter(({ body }) => body.duplicate === false)).toHaveLength(1);
        for (const { status, body } of answers) {
          if (status !== 200) expect(body).toEqual({ detail: 'Idempotency-Key request is already in progress' });
        }
        expect(await storedEvents(acme)).toBe(1);
      });

      it('returns the first answer while billing refuses new events, and is not used up by a refusal', async () => {
        const acme = await tenant();
        await sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': 'early' });
        await service.settled();
        await database.setBillingStatus(acme.organizationId, 'blocked');
        expect((await sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': 'early' })).body).toMatchObject({
          duplicate: true,
        });
        expect((await sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': 'late' })).status).toBe(403);
        await database.setBillingStatus(acme.organizationId, 'active');
        expect((await sender.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': 'late' })).body).toMatchObject({
          accepted: true,
          duplicate: false,
        });
      });
    });

    describe('the quota of an organization', () => {
      const INACTIVE = 'Organization billing is not active.';
      const BLOCKED = 'Blocked by billing enforcement.';

      it.each([
        ['inactive', INACTIVE, 'billing_inactive', true],
        ['canceled', INACTIVE, 'billing_inactive', true],
        ['blocked', BLOCKED, 'blocked', false],
        ['suspended', BLOCKED, 'blocked', false],
        ['unheard_of', BLOCKED, 'blocked', false],
      ])(
        'refuses and records an event while the status of billing is %s',
        async (status, detail, reason, canUpgrade) => {
          const acme = await tenant();
          await database.setBillingStatus(acme.organizationId, status);
          const answer = await sender.ingest(acme.apiKey, EVENT);
          const headers = canUpgrade ? { ...upgrade, 'x-service-billing-status': status } : {};
          expect(answer).toMatchObject({
            status: 403,
            body: { detail },
            headers: { 'x-service-block-reason': reason, ...headers },
          });
          expect(answer.headers['x-service-ingest-mode']).toBeUndefined();
          expect(await refusals(acme)).toEqual([{ reason_code: reason, status_code: 403, count: 1 }]);
          expect(await storedEvents(acme)).toBe(0);
        },
      );

      it.each(['trialing', 'past_due'])('accepts an event while the status of billing is %s', async (status) => {
        const acme = await tenant();
        await database.setBillingStatus(acme.organizationId, status);
        expect((await sender.ingest(acme.apiKey, EVENT)).status).toBe(200);
      });

      it('ends with the events of the month, and a higher limit or plan holds at once', async () => {
        const { month, nextMonth } = monthOf(await utcDay());
        const acme = await tenant();
        const { organizationId } = acme;
        await database.setMonthlyEvents(organizationId, 2);
        const send = async (): Promise<number> => (await sender.ingest(acme.apiKey, EVENT)).status;
        expect([await send(), await send()]).toEqual([200, 200]);
        expect(await sender.ingest(acme.apiKey, EVENT)).toMatchObject({
          status: 403,
          body: { detail: 'Monthly quota exceeded (events)' },
          headers: {
            ...upgrade,
            'x-service-block-reason': 'limit_exceeded',
            'x-service-monthly-limit': '2',
            'x-service-monthly-used': '2',
            'x-service-period-start': month,
            'x-service-period-end': nextMonth,
          },
        });
        await database.setMonthlyEvents(organizationId, 3);
        expect([await send(), await send()]).toEqual([200, 403]);
        await database.setPlan(organizationId, 'pro');
        await database.setMonthlyEvents(organizationId, null);
        expect(await send()).toBe(200);
        await database.setMonthlyEvents(organizationId, 0);
        expect(await send()).toBe(403);
        expect(await refusals(acme)).toEqual([{ reason_code: 'limit_exceeded', status_code: 403, count: 3 }]);
        expect(await storedEvents(acme)).toBe(4);
      });

      it('ends with the requests of the month', async () => {
        const { month, nextMonth } = monthOf(await utcDay());
        const acme = await tenant();
        await database.setMonthlyRequests(acme.organizationId, month, service.monthlyRequests);
        expect(await sender.ingest(acme.apiKey, EVENT)).toMatchObject({
          status: 403,
          body: { detail: 'Monthly request quota exceeded.' },
          headers: {
            ...upgrade,
            'x-service-block-reason': 'request_limit_exceeded',
            'x-service-monthly-request-limit': String(service.monthlyRequests),
            'x-service-monthly-requests-used': String(service.monthlyRequests),
            'x-service-period-start': month,
            'x-service-period-end': nextMonth,
          },
        });
        expect(await refusals(acme)).toEqual([{ reason_code: 'request_limit_exceeded', status_code: 403, count: 1 }]);
        expect(await storedEvents(acme)).toBe(0);
        await database.forgetMonths(acme.organizationId);
      });

      it('ends with the day of the source on the free plan', async () => {
        const day = await utcDay();
        const acme = await tenant();
        await database.setMonthlyEvents(acme.organizationId, 1_000_000);
        await database.countEvents({ projectId: acme.projectId, sourceId: null, day, events: 9_998 });
        const send = async (): Promise<number> => (await sender.ingest(acme.apiKey, EVENT)).status;
        expect([await send(), await send()]).toEqual([200, 200]);
        const refused = await sender.ingest(acme.apiKey, EVENT);
        expect(refused).toMatchObject({ status: 429, body: { detail: 'Daily limit exceeded' } });
        const left = Math.ceil((Date.parse(`${day}T00:00:00Z`) + DAY_MS - Date.now()) / 1000);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(left - 5);
        expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(left + 30);
        expect(await refusals(acme)).toEqual([{ reason_code: 'daily_limit_exceeded', status_code: 429, count: 1 }]);
        await service.settled();
        await database.setPlan(acme.organizationId, 'pro');
        expect(await send()).toBe(200);
        expect(await storedEvents(acme)).toBe(3);
        await database.discountEvents(acme.projectId, 9_998);
      });

      it('refuses and records an event of an archived project, after it has checked the body', async () => {
        const acme = await tenant();
        const owner = new Api({}, service.url).as(acme);
        await owner.post(`/v1/projects/${acme.projectId}/archive`).expect(200);
        expect(await sender.ingest(acme.apiKey, EVENT)).toMatchObject({
          status: 403,
          body: { detail: 'Project is archived' },
        });
        expect(await refusals(acme)).toEqual([{ reason_code: 'project_archived', status_code: 403, count: 1 }]);
        const late = { ...EVENT, timestamp: new Date(Date.now() + 2 * DAY_MS).toISOString() };
        expect(await sender.ingest(acme.apiKey, late)).toMatchObject({ status: 422 });
      });
    });

    describe('a batch of lines', () => {
      it('has for each line the answer that a request with this line has', async () => {
        const acme = await tenant();
        const { status, body } = await sender.lines(acme.apiKey, [
          { ...EVENT, event_id: 'one' },
          '',
          '   \r',
          { source: 'shop' },
          '{"event_type": "a", ',
          { ...EVENT, event_id: 'two', timestamp: '2015-05-17T10:05:03Z' },
          '[]',
          { ...EVENT, timestamp: new Date(Date.now() + 2 * DAY_MS).toISOString() },
          `{"event_type":"${'x'.repeat(1_100_000)}","source":"s"}`,
          '\ufeff{"event_type":"last","source":"s"}\r',
        ]);
        expect(status).toBe(200);
        const single = async (text: string): Promise<unknown> => (await sender.ingest(acme.apiKey, text)).body.detail;
        const { results, ...sums } = body as { results: Record<string, unknown>[]; accepted: number; rejected: number };
        expect(sums).toEqual({ accepted: 3, rejected: 5 });
        expect(results.map(({ line, accepted }) => [line, accepted])).toEqual([
          [1, true],
          [4, false],
          [5, false],
          [6, true],
          [7, false],
          [8, false],
          [9, false],
          [10, true],
        ]);
        expect(results[1]?.detail).toEqual(await single('{"source":"shop"}'));
        expect(results[2]?.detail).toEqual(await single('{"event_type": "a",'));
        expect(results[4]?.detail).toEqual(await single('[]'));
        expect(results[5]?.detail).toMatchObject([{ type: 'value_error', loc: ['body', 'timestamp'] }]);
        expect(results[6]?.detail).toBe('Request body too large');
        await service.settled();
        const stored = await database.storedEvents(acme.projectId);
        expect(stored.map(({ id }) => id).sort()).toEqual(
          results.flatMap(({ ingested_event_id: id }) => (id === undefined ? [] : [id])).sort(),
        );
      });

      it('counts as one request and as many events as were accepted', async () => {
        const acme = await tenant();
        await sender.lines(acme.apiKey, [...times(300, EVENT), 'x']);
        expect(await storedEvents(acme)).toBe(300);
        await eventually(
          () => database.countedDays(acme.projectId),
          (rows) => JSON.stringify(rows) === '[{"requests":1,"events":300}]',
        );
      });

      it('is accepted up to the quota of the month, and refused as a whole once that is used up', async () => {
        const acme = await tenant();
        await database.setMonthlyEvents(acme.organizationId, 5);
        const key = { 'Idempotency-Key': 'cut' };
        const first = await sender.lines(acme.apiKey, ['{}', ...times(8, EVENT)], key);
        expect(first.body).toMatchObject({ accepted: 5, rejected: 4 });
        const { results } = first.body as { results: { accepted: boolean; detail?: unknown }[] };
        expect(results.slice(1).map(({ accepted }) => accepted)).toEqual([...times(5, true), ...times(3, false)]);
        expect(results[8]?.detail).toBe('Monthly quota exceeded (events)');
        expect(await storedEvents(acme)).toBe(5);
        const again = await sender.lines(acme.apiKey, ['{}', ...times(8, EVENT)], key);
        expect(again.body).toEqual({ ...first.body, duplicate: true });
        const full = { accepted: false, detail: 'Monthly quota exceeded (events)' };
        expect(await sender.lines(acme.apiKey, [EVENT, EVENT])).toMatchObject({
          status: 403,
          body: { accepted: 0, rejected: 2, results: [full, full], detail: ALL_REFUSED },
          headers: { 'x-service-block-reason': 'limit_exceeded', 'x-service-monthly-limit': '5' },
        });
        expect(await sender.lines(acme.apiKey, [EVENT, '{}'])).toMatchObject({
          status: 422,
          body: { accepted: 0, rejected: 2, results: [full, { accepted: false }], detail: ALL_REFUSED },
        });
        expect(await refusals(acme)).toEqual([{ reason_code: 'limit_exceeded', status_code: 403, count: 3 }]);
        expect(await storedEvents(acme)).toBe(5);
      });

      it('uses the rest of a day for its first lines', async () => {
        const day = await utcDay();
        const acme = await tenant();
        await database.setMonthlyEvents(acme.organizationId, 1_000_000);
        await database.countEvents({ projectId: acme.projectId, sourceId: null, day, events: 9_997 });
        const { body } = await sender.lines(acme.apiKey, times(4, EVENT));
        expect(body).toMatchObject({
          accepted: 3,
          rejected: 1,
          results: [{}, {}, {}, { detail: 'Daily limit exceeded' }],
        });
        expect(await sender.lines(acme.apiKey, [EVENT])).toMatchObject({
          status: 429,
          body: { accepted: 0, rejected: 1, detail: ALL_REFUSED },
          headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
        });
        expect(await storedEvents(acme)).toBe(3);
        await database.discountEvents(acme.projectId, 9_997);
      });

      it('is covered as a whole by one Idempotency-Key', async () => {
        const acme = await tenant();
        const key = { 'Idempotency-Key': 'batch' };
        const last = { ...EVENT, event_type: 'b' };
        const lines = [EVENT, '{"broken', last];
        const first = await sender.lines(acme.apiKey, lines, key);
        const again = await sender.lines(acme.apiKey, lines, key);
        expect(again.body).toEqual({ ...first.body, duplicate: true });
        for (const other of [[EVENT], [EVENT, '', '{"broken', last], [EVENT, '{"brokem', last]]) {
          expect((await sender.lines(acme.apiKey, other, key)).status).toBe(409);
        }
        expect((await sender.ingest(acme.apiKey, EVENT, key)).status).toBe(409);
        expect(await storedEvents(acme)).toBe(2);
      });

      it('is refused with 422 when none of its lines is an event, and keeps no Idempotency-Key', async () => {
        const acme = await tenant();
        const key = { 'Idempotency-Key': 'faulty' };
        expect(await sender.lines(acme.apiKey, ['{}', '[]', ''], key)).toMatchObject({
          status: 422,
          body: { accepted: 0, rejected: 2, results: [{ line: 1 }, { line: 2 }], detail: ALL_REFUSED },
        });
        expect(await database.idempotencyKeys(acme.apiKeyId)).toBe(0);
        expect((await sender.lines(acme.apiKey, [EVENT], key)).body).toMatchObject({ accepted: 1 });
      });

      it('takes null for an optional member as if the line did not have it', async () => {
        const acme = await tenant();
        const members = { event_id: null, timestamp: null, severity: null, message: null, payload: null };
        const answer = await sender.lines(acme.apiKey, [{ ...EVENT, ...members, properties: null }]);
        expect(answer).toMatchObject({ status: 200, body: { accepted: 1, rejected: 0 } });
      });

      const TOO_MANY = 'Request body has more than 1,000 events';

      it.each([
        [422, 'nothing at all', '', ''],
        [200, 'blank lines alone', '\n \n\r\n', ''],
        [200, '1,000 events', `${JSON.stringify(EVENT)}\n`.repeat(1000), ''],
        [413, '1,001 events', `${JSON.stringify(EVENT)}\n`.repeat(1001), TOO_MANY],
        [413, '1,001 short lines', '1\n'.repeat(1001), TOO_MANY],
        [
          413,
          'more than 5 MiB',
          `${JSON.stringify({ ...EVENT, message: 'x'.repeat(1000) })}\n`.repeat(10) + ' '.repeat(5 * 1024 * 1024),
          'Request body too large',
        ],
      ])('returns %i when it has %s', async (status, _, text, detail) => {
        const acme = await tenant();
        const type = { 'Content-Type': 'application/x-ndjson; charset=utf-8' };
        const answer = await sender.ingest(acme.apiKey, text, type);
        expect(answer.status).toBe(status);
        if (status === 413) expect(answer.body).toEqual({ detail });
        if (status !== 200) expect(await storedEvents(acme)).toBe(0);
      });

      it('is refused while billing is inactive, also when all its lines are faulty', async () => {
        const acme = await tenant();
        expect((await sender.lines(acme.apiKey, ['{}', '{}'])).body).toMatchObject({ accepted: 0, rejected: 2 });
        await database.setBillingStatus(acme.organizationId, 'inactive');
        expect((await sender.lines(acme.apiKey, ['{}', '{}'])).status).toBe(403);
      });
    });

    describe('an event from the dashboard', () => {
      it('is stored without a key, and its record is returned', async () => {
        const acme = await tenant();
        const { status, body } = await sender.record(acme.accessToken, {
          project_id: acme.projectId,
          event_type: 'deploy',
          source: 'console',
          severity: 'info',
          event_id: 'd-1',
          timestamp: '2026-01-02T03:04:05Z',
          properties: { version: 7 },
        });
        expect(status).toBe(201);
        const { id, created_at: createdAt, ...rest } = body;
        expect(rest).toEqual({
          project_id: acme.projectId,
          source_id: null,
          api_key_id: null,
          event: 'deploy',
          source: 'console',
          severity: 'info',
          status: null,
          environment: null,
          message: null,
          external_event_id: 'd-1',
          properties: { version: 7, source: 'console', severity: 'info', event_id: 'd-1' },
          timestamp: '2026-01-02T03:04:05.000Z',
        });
        await service.settled();
        const [row, ...more] = await database.storedEvents(acme.projectId);
        expect([row?.id, row?.created_at.toISOString()]).toEqual([id, createdAt]);
        expect(more).toEqual([]);
      });

      it('is refused by the same quotas as an event with a key', async () => {
        const acme = await tenant();
        const body = { project_id: acme.projectId, ...EVENT };
        await database.setMonthlyEvents(acme.organizationId, 1);
        expect((await sender.record(acme.accessToken, body)).status).toBe(201);
        expect(await sender.record(acme.accessToken, body)).toMatchObject({
          status: 403,
          body: { detail: 'Monthly quota exceeded (events)' },
          headers: { 'x-service-block-reason': 'limit_exceeded' },
        });
        expect(await storedEvents(acme)).toBe(1);
      });
    });

    it('keeps counters that agree with the stored events of all these tests', async () => {
      const acme = await tenant();
      const timestamps = [undefined, '2015-05-17T10:05:03Z', '2015-05-17T10:59:59.999Z', '1969-12-31T23:30:00Z'];
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          sender.ingest(acme.apiKey, {
            event_type: `type.${index % 3}`,
            source: 's',
            severity: ['info', 'critical', undefined][index % 3],
            status: ['ok', 'failed', undefined, 'warning'][index % 4],
            environment: index % 2 === 0 ? 'production' : undefined,
            timestamp: timestamps[index % timestamps.length],
            payload: [
              { latency_ms: index * 37 },
              {},
              { duration_ms: 'soon' },
              { elapsed_ms: 0.4 },
              { latency_ms: 1e12 },
            ][index % 5],
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(times(60, 200));
      await service.settled();
      const { counted, real } = await database.counters(projectIds);
      expect(counted).toEqual(real);
    });
  });
}
