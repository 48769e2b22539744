import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  emptyRedis,
  expectTrueCounters,
  INGEST_MODES,
  modeEnv,
  Sender,
  settled,
  statusesOf,
  tenant,
  type Tenant,
} from '../../support/ingestion.js';
import { eventually } from '../../support/service-process.js';
import { monthOf, utcDay } from '../../support/utc-day.js';

const EVENT = { event_type: 'order.paid', source: 'shop', payload: { latency_ms: 12 } };

describe.each(INGEST_MODES)('ingestion in mode %s', (mode) => {
  let app: TestApp;
  let sender: Sender;
  let owner: Tenant;

  beforeAll(async () => {
    if (mode === 'queued') await emptyRedis();
    app = await createTestApp({
      env: { ...modeEnv(mode), UPGRADE_URL: 'https://example.com/upgrade', MONTHLY_REQUEST_LIMITS: 'free=500' },
    });
    sender = new Sender(app.url);
    owner = await tenant(app);
  });
  afterAll(async () => {
    sender.close();
    await app.close();
  });

  const events = async (of: Pick<Tenant, 'projectId'>): Promise<number> => {
    await settled(mode);
    return (await app.rows('SELECT 1 FROM events WHERE project_id = $1', [of.projectId])).length;
  };
  const organization = (of: Pick<Tenant, 'organizationId'>, set: string): Promise<unknown> =>
    app.rows(`UPDATE organizations SET ${set} WHERE id = $1`, [of.organizationId]);
  const failures = (of: Tenant): Promise<object[]> =>
    app.rows(
      `SELECT reason_code, status_code, count::int FROM ingestion_failures WHERE api_key_id = $1 ORDER BY reason_code`,
      [of.apiKeyId],
    );

  it('says how it keeps what it answers', async () => {
    const persisted = mode !== 'queued';
    const answer = await sender.ingest(owner.apiKey, EVENT);
    expect(answer).toMatchObject({
      status: 200,
      body: { accepted: true, duplicate: false, ingest_mode: mode, persisted_synchronously: persisted },
      headers: { 'x-service-ingest-mode': mode, 'x-service-persisted-synchronously': String(persisted) },
    });
    await settled(mode);
    expect(await app.rows('SELECT event FROM events WHERE id = $1', [answer.body.ingested_event_id])).toEqual([
      { event: 'order.paid' },
    ]);
  });

  it('refuses an event that would be read as far more than was sent, alone among its batch', async () => {
    const fresh = await tenant(app);
    const huge = `{"event_type":"huge","source":"s","payload":{"a":[${'1e308,'.repeat(20_000)}1]}}`;
    const fault = { type: 'value_error', loc: ['body'], input: null, msg: expect.stringContaining('2097152 bytes') };
    expect(await sender.ingest(fresh.apiKey, huge)).toMatchObject({ status: 422, body: { detail: [fault] } });
    expect(await sender.lines(fresh.apiKey, [EVENT, huge, EVENT])).toMatchObject({
      status: 200,
      body: { accepted: 2, results: [{ accepted: true }, { accepted: false, detail: [fault] }, { accepted: true }] },
    });
    expect(await events(fresh)).toBe(2);
  });

  it('stores with each event the size that reads of it have', async () => {
    const fresh = await tenant(app);
    const numbers = [1e21, -1.5e-7, 5e-324, 1.7976931348623157e308, 0.1, -0, 12345678901234567890];
    const texts = ['\u0001 \n "\\', '値', '😀', 'e1,:"'];
    await sender.lines(fresh.apiKey, [
      EVENT,
      { ...EVENT, payload: { numbers, texts, 'a:",b': { c: [[], {}, true] } } },
    ]);
    await settled(mode);
    const wrong =
      'SELECT properties::text FROM events WHERE project_id = $1 AND bytes IS DISTINCT FROM octet_length(properties::text)';
    expect(await app.rows(wrong, [fresh.projectId])).toEqual([]);
    expect(await events(fresh)).toBe(2);
  });

  describe('with an Idempotency-Key', () => {
    it('answers the same request alike, takes no quota for it and meters it', async () => {
      const fresh = await tenant(app);
      const first = await sender.ingest(fresh.apiKey, EVENT, { 'Idempotency-Key': 'order-1' });
      const again = await sender.ingest(
        fresh.apiKey,
        // Other order and spaces, an unknown field: the same request.
        `{"source": "shop", "unknown": 1, "payload": {"latency_ms": 12.0}, "event_type": "order.paid"}`,
        { 'Idempotency-Key': '  order-1 ' },
      );
      expect(first.body).toMatchObject({ duplicate: false });
      expect(again).toMatchObject({ status: 200, body: { ...first.body, duplicate: true } });
      expect(again.headers['x-service-ingest-mode']).toBe(mode);
      expect(await events(fresh)).toBe(1);
      const third = await sender.ingest(fresh.apiKey, EVENT, { 'Idempotency-Key': 'order-1' });
      expect(third.body).toEqual(again.body);
      const elsewhere = { ...EVENT, payload: undefined, properties: EVENT.payload };
      const fourth = await sender.ingest(fresh.apiKey, elsewhere, { 'Idempotency-Key': 'order-1' });
      expect(fourth.body).toEqual(again.body);
      expect(await events(fresh)).toBe(1);
      const usage = (): Promise<object[]> =>
        app.rows('SELECT events::int, requests::int FROM organization_months WHERE organization_id = $1', [
          fresh.organizationId,
        ]);
      await eventually(usage, (rows) => JSON.stringify(rows) === '[{"events":1,"requests":4}]');
    });

    it('repeats the first answer byte for byte, by the mode that gave it', async () => {
      const fresh = await tenant(app);
      const event = `{"event_type":"e","source":"s","payload":{"zz":1,"b":{"y":1e21,"a":-0.5},"__proto__":[]},"status":"ok"}`;
      const told = { 'Idempotency-Key': 'bytes' };
      const first = await sender.ingest(fresh.apiKey, event, told);
      const asDuplicate = first.text.replace('"duplicate":false', '"duplicate":true');
      expect((await sender.ingest(fresh.apiKey, event, told)).text).toBe(asDuplicate);
      await settled(mode);
      expect((await sender.ingest(fresh.apiKey, event, told)).text).toBe(asDuplicate);

      const lines = ['{"event_type":1,"source":"s","payload":{"zz":1,"b":2}}', event];
      const batch = await sender.lines(fresh.apiKey, lines, { 'Idempotency-Key': 'lines' });
      await settled(mode);
      const again = await sender.lines(fresh.apiKey, lines, { 'Idempotency-Key': 'lines' });
      expect(again.text).toBe(batch.text.replace(/}$/, ',"duplicate":true}'));

      if (mode === 'queued') return;
      // As a process that queues would have left it, and as records were kept before.
      await app.rows(
        `UPDATE idempotency_records SET answer = jsonb_set(answer, '{answer}', answer -> 'answer' ||
           '{"ingest_mode": "queued", "persisted_synchronously": false, "properties": {"b": 1}}')
         WHERE api_key_id = $1 AND key = 'bytes'`,
        [fresh.apiKeyId],
      );
      const queued = await sender.ingest(fresh.apiKey, event, told);
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

    it('refuses two keys, of which nobody can tell which is meant', async () => {
      const before = await events(owner);
      expect(await sender.ingest(owner.apiKey, EVENT, { 'Idempotency-Key': ['one', 'two'] })).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'value_error', loc: ['header', 'idempotency-key'] }] },
      });
      expect(await events(owner)).toBe(before);
    });

    it.each([
      ['another type', { ...EVENT, event_type: 'order.lost' }],
      ['another property', { ...EVENT, payload: { latency_ms: 13 } }],
      ['a timestamp', { ...EVENT, timestamp: '2026-01-01T00:00:00Z' }],
    ])('refuses a request with %s under the same key', async (_, body) => {
      await sender.ingest(owner.apiKey, EVENT, { 'Idempotency-Key': 'reused' });
      const before = await events(owner);
      expect(await sender.ingest(owner.apiKey, body, { 'Idempotency-Key': 'reused' })).toMatchObject({
        status: 409,
        body: { detail: 'Idempotency-Key already used with different request payload' },
      });
      expect(await events(owner)).toBe(before);
    });

    it('keeps the keys of API keys apart', async () => {
      const other = await tenant(app);
      for (const key of [owner.apiKey, other.apiKey]) {
        expect(
          (await sender.ingest(key, { ...EVENT, source: key.slice(0, 12) }, { 'Idempotency-Key': 'same' })).body,
        ).toMatchObject({
          duplicate: false,
        });
      }
    });

    it.each([
      ['', 'string_too_short'],
      ['   ', 'string_too_short'],
      ['x'.repeat(201), 'string_too_long'],
    ])('refuses the key "%s" with %s', async (key, type) => {
      expect(await sender.ingest(owner.apiKey, EVENT, { 'Idempotency-Key': key })).toMatchObject({
        status: 422,
        body: { detail: [{ type, loc: ['header', 'idempotency-key'] }] },
      });
    });

    it('takes a key of 200 characters', async () => {
      expect((await sender.ingest(owner.apiKey, EVENT, { 'Idempotency-Key': 'x'.repeat(200) })).status).toBe(200);
    });

    it('stores one event for a hundred parallel requests', async () => {
      const fresh = await tenant(app);
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => sender.ingest(fresh.apiKey, EVENT, { 'Idempotency-Key': 'parallel' })),
      );
      const accepted = answers.filter(({ status }) => status === 200);
      expect(new Set(accepted.map(({ body }) => body.ingested_event_id)).size).toBe(1);
      expect(accepted.filter(({ body }) => body.duplicate === false)).toHaveLength(1);
      for (const { status, body } of answers) {
        if (status !== 200) expect(body).toEqual({ detail: 'Idempotency-Key request is already in progress' });
      }
      expect(await events(fresh)).toBe(1);
    });

    it('answers a repetition even when billing refuses everything new, and a refusal uses no key up', async () => {
      const fresh = await tenant(app);
      await sender.ingest(fresh.apiKey, EVENT, { 'Idempotency-Key': 'early' });
      await settled(mode);
      await organization(fresh, `billing_status = 'blocked'`);
      expect((await sender.ingest(fresh.apiKey, EVENT, { 'Idempotency-Key': 'early' })).body).toMatchObject({
        duplicate: true,
      });
      expect((await sender.ingest(fresh.apiKey, EVENT, { 'Idempotency-Key': 'late' })).status).toBe(403);
      await organization(fresh, `billing_status = 'active'`);
      expect((await sender.ingest(fresh.apiKey, EVENT, { 'Idempotency-Key': 'late' })).body).toMatchObject({
        accepted: true,
        duplicate: false,
      });
    });
  });

  describe('under billing', () => {
    const upgrade = { 'x-service-upgrade-url': 'https://example.com/upgrade' };

    it.each([
      [
        'inactive',
        'Organization billing is not active.',
        'billing_inactive',
        { ...upgrade, 'x-service-billing-status': 'inactive' },
      ],
      [
        'canceled',
        'Organization billing is not active.',
        'billing_inactive',
        { ...upgrade, 'x-service-billing-status': 'canceled' },
      ],
      ['blocked', 'Blocked by billing enforcement.', 'blocked', {}],
      ['suspended', 'Blocked by billing enforcement.', 'blocked', {}],
      ['unheard_of', 'Blocked by billing enforcement.', 'blocked', {}],
    ])('refuses the status %s', async (status, detail, reason, headers) => {
      const fresh = await tenant(app);
      await organization(fresh, `billing_status = '${status}'`);
      const answer = await sender.ingest(fresh.apiKey, EVENT);
      expect(answer).toMatchObject({
        status: 403,
        body: { detail },
        headers: { 'x-service-block-reason': reason, ...headers },
      });
      expect(answer.headers['x-service-ingest-mode']).toBeUndefined();
      expect(await failures(fresh)).toEqual([{ reason_code: reason, status_code: 403, count: 1 }]);
      expect(await events(fresh)).toBe(0);
    });

    it.each(['trialing', 'past_due'])('lets the status %s pass', async (status) => {
      const fresh = await tenant(app);
      await organization(fresh, `billing_status = '${status}'`);
      expect((await sender.ingest(fresh.apiKey, EVENT)).status).toBe(200);
    });

    it('ends with the month’s events, and a higher limit or plan holds at once', async () => {
      const { month, nextMonth } = monthOf(await utcDay());
      const fresh = await tenant(app);
      await organization(fresh, 'events_per_month_limit = 2');
      const send = async (): Promise<number> => (await sender.ingest(fresh.apiKey, EVENT)).status;
      expect([await send(), await send()]).toEqual([200, 200]);
      expect(await sender.ingest(fresh.apiKey, EVENT)).toMatchObject({
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
      await organization(fresh, 'events_per_month_limit = 3');
      expect([await send(), await send()]).toEqual([200, 403]);
      await organization(fresh, `events_per_month_limit = NULL, plan = 'pro'`);
      expect(await send()).toBe(200);
      await organization(fresh, 'events_per_month_limit = 0');
      expect(await send()).toBe(403);
      expect(await failures(fresh)).toEqual([{ reason_code: 'limit_exceeded', status_code: 403, count: 3 }]);
      expect(await events(fresh)).toBe(4);
    });

    it('ends with the month’s requests', async () => {
      const { month, nextMonth } = monthOf(await utcDay());
      const fresh = await tenant(app);
      await app.rows(
        `INSERT INTO organization_months (organization_id, month, requests) VALUES ($1, $2, 500)
         ON CONFLICT (organization_id, month) DO UPDATE SET requests = 500`,
        [fresh.organizationId, month],
      );
      expect(await sender.ingest(fresh.apiKey, EVENT)).toMatchObject({
        status: 403,
        body: { detail: 'Monthly request quota exceeded.' },
        headers: {
          ...upgrade,
          'x-service-block-reason': 'request_limit_exceeded',
          'x-service-monthly-request-limit': '500',
          'x-service-monthly-requests-used': '500',
          'x-service-period-start': month,
          'x-service-period-end': nextMonth,
        },
      });
      expect(await failures(fresh)).toEqual([{ reason_code: 'request_limit_exceeded', status_code: 403, count: 1 }]);
      expect(await events(fresh)).toBe(0);
      // Nobody can know the row's own count any more.
      await app.rows('DELETE FROM organization_months WHERE organization_id = $1', [fresh.organizationId]);
    });

    it('ends with the day of the source on the free plan', async () => {
      const day = await utcDay();
      const fresh = await tenant(app);
      await organization(fresh, 'events_per_month_limit = 1000000');
      await app.rows(`INSERT INTO source_days (project_id, day, events, last_event_at) VALUES ($1, $2, 9998, now())`, [
        fresh.projectId,
        day,
      ]);
      const send = async (): Promise<number> => (await sender.ingest(fresh.apiKey, EVENT)).status;
      expect([await send(), await send()]).toEqual([200, 200]);
      const refused = await sender.ingest(fresh.apiKey, EVENT);
      expect(refused).toMatchObject({ status: 429, body: { detail: 'Daily limit exceeded' } });
      const left = Math.ceil((Date.parse(`${day}T00:00:00Z`) + 86_400_000 - Date.now()) / 1000);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(left - 5);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(left + 30);
      expect(await failures(fresh)).toEqual([{ reason_code: 'daily_limit_exceeded', status_code: 429, count: 1 }]);
      await settled(mode);
      await organization(fresh, `plan = 'pro'`);
      expect(await send()).toBe(200);
      await app.rows('UPDATE source_days SET events = events - 9998 WHERE project_id = $1', [fresh.projectId]);
      expect(await events(fresh)).toBe(3);
    });

    it('refuses an archived project and records it', async () => {
      const fresh = await tenant(app);
      await app.rows('UPDATE projects SET archived_at = now() WHERE id = $1', [fresh.projectId]);
      expect(await sender.ingest(fresh.apiKey, EVENT)).toMatchObject({
        status: 403,
        body: { detail: 'Project is archived' },
      });
      expect(await failures(fresh)).toEqual([{ reason_code: 'project_archived', status_code: 403, count: 1 }]);
      // What is wrong with the body is told before that.
      const late = { ...EVENT, timestamp: new Date(Date.now() + 172_800_000).toISOString() };
      expect(await sender.ingest(fresh.apiKey, late)).toMatchObject({ status: 422 });
    });
  });

  describe('of lines', () => {
    it('answers each line as a request of its own would be', async () => {
      const fresh = await tenant(app);
      const { status, body } = await sender.lines(fresh.apiKey, [
        { ...EVENT, event_id: 'one' },
        '',
        '   \r',
        { source: 'shop' },
        '{"event_type": "a", ',
        { ...EVENT, event_id: 'two', timestamp: '2015-05-17T10:05:03Z' },
        '[]',
        { ...EVENT, timestamp: new Date(Date.now() + 172_800_000).toISOString() },
        `{"event_type":"${'x'.repeat(1_100_000)}","source":"s"}`,
        '\ufeff{"event_type":"last","source":"s"}\r',
      ]);
      expect(status).toBe(200);
      const single = async (text: string): Promise<unknown> => (await sender.ingest(fresh.apiKey, text)).body.detail;
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
      await settled(mode);
      const stored = await app.rows<{ id: string; event: string }>(
        'SELECT id, event FROM events WHERE project_id = $1',
        [fresh.projectId],
      );
      expect(stored.map(({ id }) => id).sort()).toEqual(
        results.flatMap(({ ingested_event_id: id }) => (id === undefined ? [] : [id])).sort(),
      );
    });

    it('counts as one request and as many events as were accepted', async () => {
      const fresh = await tenant(app);
      await sender.lines(fresh.apiKey, [...Array.from({ length: 300 }, () => EVENT), 'x']);
      expect(await events(fresh)).toBe(300);
      await eventually(
        () =>
          app.rows('SELECT requests::int, events_ingested::int AS events FROM usage_daily WHERE project_id = $1', [
            fresh.projectId,
          ]),
        (rows) => JSON.stringify(rows) === '[{"requests":1,"events":300}]',
      );
    });

    it('accepts what the allowance holds, refuses the rest, and then the whole batch', async () => {
      const fresh = await tenant(app);
      await organization(fresh, 'events_per_month_limit = 5');
      const first = await sender.lines(fresh.apiKey, ['{}', ...Array.from({ length: 8 }, () => EVENT)], {
        'Idempotency-Key': 'cut',
      });
      expect(first.body).toMatchObject({ accepted: 5, rejected: 4 });
      const { results } = first.body as { results: { accepted: boolean; detail?: unknown }[] };
      expect(results.slice(1).map(({ accepted }) => accepted)).toEqual([
        true,
        true,
        true,
        true,
        true,
        false,
        false,
        false,
      ]);
      expect(results[8]?.detail).toBe('Monthly quota exceeded (events)');
      expect(await events(fresh)).toBe(5);
      const again = await sender.lines(fresh.apiKey, ['{}', ...Array.from({ length: 8 }, () => EVENT)], {
        'Idempotency-Key': 'cut',
      });
      expect(again.body).toEqual({ ...first.body, duplicate: true });
      expect(await sender.lines(fresh.apiKey, [EVENT, EVENT])).toMatchObject({
        status: 403,
        body: { detail: 'Monthly quota exceeded (events)' },
        headers: { 'x-service-block-reason': 'limit_exceeded' },
      });
      expect(await failures(fresh)).toEqual([{ reason_code: 'limit_exceeded', status_code: 403, count: 2 }]);
      expect(await events(fresh)).toBe(5);
    });

    it('gives what a day has left to the first lines', async () => {
      const day = await utcDay();
      const fresh = await tenant(app);
      await organization(fresh, 'events_per_month_limit = 1000000');
      await app.rows(`INSERT INTO source_days (project_id, day, events, last_event_at) VALUES ($1, $2, 9997, now())`, [
        fresh.projectId,
        day,
      ]);
      const { body } = await sender.lines(fresh.apiKey, [EVENT, EVENT, EVENT, EVENT]);
      expect(body).toMatchObject({
        accepted: 3,
        rejected: 1,
        results: [{}, {}, {}, { detail: 'Daily limit exceeded' }],
      });
      expect((await sender.lines(fresh.apiKey, [EVENT])).status).toBe(429);
      expect(await events(fresh)).toBe(3);
      await app.rows('UPDATE source_days SET events = events - 9997 WHERE project_id = $1', [fresh.projectId]);
    });

    it('covers the whole batch with one key', async () => {
      const fresh = await tenant(app);
      const lines = [EVENT, '{"broken', { ...EVENT, event_type: 'b' }];
      const first = await sender.lines(fresh.apiKey, lines, { 'Idempotency-Key': 'batch' });
      const again = await sender.lines(fresh.apiKey, lines, { 'Idempotency-Key': 'batch' });
      expect(again.body).toEqual({ ...first.body, duplicate: true });
      for (const other of [
        [EVENT],
        [EVENT, '', '{"broken', { ...EVENT, event_type: 'b' }],
        [EVENT, '{"brokem', lines[2]],
      ]) {
        expect((await sender.lines(fresh.apiKey, other, { 'Idempotency-Key': 'batch' })).status).toBe(409);
      }
      expect((await sender.ingest(fresh.apiKey, EVENT, { 'Idempotency-Key': 'batch' })).status).toBe(409);
      expect(await events(fresh)).toBe(2);
    });

    it.each([
      ['nothing at all', '', 422],
      ['blank lines alone', '\n \n\r\n', 200],
      ['1,000 events', `${JSON.stringify(EVENT)}\n`.repeat(1000), 200],
      ['1,001 events', `${JSON.stringify(EVENT)}\n`.repeat(1001), 413, 'Request body has more than 1,000 events'],
      ['1,001 short lines', '1\n'.repeat(1001), 413, 'Request body has more than 1,000 events'],
      [
        'more than 5 MiB',
        `${JSON.stringify({ ...EVENT, message: 'x'.repeat(1000) })}\n`.repeat(10) + ' '.repeat(5 * 1024 * 1024),
        413,
        'Request body too large',
      ],
    ])('answers %s', async (_, text, status, detail = '') => {
      const fresh = await tenant(app);
      const answer = await sender.ingest(fresh.apiKey, text, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
      expect(answer.status).toBe(status);
      if (status === 413) expect(answer.body).toEqual({ detail });
      if (status !== 200) expect(await events(fresh)).toBe(0);
    });

    it('refuses a batch of faulty lines when billing does, since it asks before it looks', async () => {
      const fresh = await tenant(app);
      expect((await sender.lines(fresh.apiKey, ['{}', '{}'])).body).toMatchObject({ accepted: 0, rejected: 2 });
      await organization(fresh, `billing_status = 'inactive'`);
      expect((await sender.lines(fresh.apiKey, ['{}', '{}'])).status).toBe(403);
    });
  });

  describe('from the dashboard', () => {
    const record = (of: Owner, body: object): Promise<{ status: number; body: Record<string, unknown> }> =>
      sender.post('/v1/events', body, { Authorization: of.bearer });

    it('stores the event without a key and answers its record', async () => {
      const fresh = await ownerWithProject(app);
      const { status, body } = await record(fresh, {
        project_id: fresh.projectId,
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
        project_id: fresh.projectId,
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
      await settled(mode);
      const [row] = await app.rows<{ created_at: Date }>('SELECT created_at FROM events WHERE id = $1', [id]);
      expect(row?.created_at.toISOString()).toBe(createdAt);
    });

    it('meets the same quotas', async () => {
      const fresh = await ownerWithProject(app);
      const body = { project_id: fresh.projectId, ...EVENT };
      await organization(fresh, 'events_per_month_limit = 1');
      expect((await record(fresh, body)).status).toBe(201);
      expect(await record(fresh, body)).toMatchObject({
        status: 403,
        body: { detail: 'Monthly quota exceeded (events)' },
        headers: { 'x-service-block-reason': 'limit_exceeded' },
      });
      expect(await events(fresh)).toBe(1);
    });
  });

  it('has counters that agree with its rows', async () => {
    const fresh = await tenant(app);
    const times = [undefined, '2015-05-17T10:05:03Z', '2015-05-17T10:59:59.999Z', '1969-12-31T23:30:00Z'];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        sender.ingest(fresh.apiKey, {
          event_type: `type.${index % 3}`,
          source: 's',
          severity: ['info', 'critical', undefined][index % 3],
          status: ['ok', 'failed', undefined, 'warning'][index % 4],
          environment: index % 2 === 0 ? 'production' : undefined,
          timestamp: times[index % times.length],
          payload: [{ latency_ms: index * 37 }, {}, { duration_ms: 'soon' }, { elapsed_ms: 0.4 }, { latency_ms: 1e12 }][
            index % 5
          ],
        }),
      ),
    );
    expect(statusesOf(answers)).toEqual({ 200: 60 });
    await settled(mode);
    await expectTrueCounters(app);
  });
});
