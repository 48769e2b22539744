import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { quotaNoticesJob } from '../../../src/modules/events/quota-notices/index.js';
import { Mailer } from '../../../src/platform/mail/index.js';
import { JobQueue } from '../../../src/platform/queue/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, INTERNAL_TOKEN } from '../../support/delivery.js';
import { StreamClient } from '../../support/event-stream.js';
import { eventually } from '../../support/eventually.js';
import { mailsTo, waitForMails } from '../../support/outbox.js';
import { startReceiver } from '../../support/receiver.js';

interface EventItem {
  readonly event: string;
  readonly source: string;
  readonly severity: string;
  readonly message: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

describe('the notices about the quotas of a month', () => {
  let app: TestApp;

  beforeAll(async () => {
    // Only the test runs rounds.
    app = await createTestApp({
      env: { ...DELIVERY_ENV, PROCESS_ROLE: 'api', QUOTA_NOTICES: 'on', MONTHLY_REQUEST_LIMITS: 'free=10' },
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => app.close());

  const round = (): Promise<unknown> => app.nest.get(JobQueue).runNow(quotaNoticesJob, {});
  const runJob = (job: string): Promise<unknown> =>
    app.request().post(`/internal/jobs/${job}`).set('X-Internal-Token', INTERNAL_TOKEN).expect(200);
  const get = async <T>(owner: Owner, path: string): Promise<T> =>
    (await app.request().get(path).set('Authorization', owner.bearer).expect(200)).body as T;
  const warnings = async (owner: Owner, projectId: string = owner.projectId): Promise<EventItem[]> => {
    const { items } = await get<{ items: EventItem[] }>(owner, `/v1/events?project_id=${projectId}`);
    return items.filter(({ event }) => event === 'service.quota_warning').reverse();
  };
  const use = async (owner: Owner, count: number): Promise<void> => {
    const lines = Array.from({ length: count }, () => JSON.stringify({ event_type: 'order.placed', source: 'shop' }));
    await app
      .request()
      .post('/v1/events/ingest')
      .set({ 'X-API-Key': owner.apiKey, 'Content-Type': 'application/x-ndjson' })
      .send(lines.join('\n'))
      .expect(200);
  };
  /** Over HTTP that takes a platform administrator. */
  const setLimit = (owner: Owner, limit: number): Promise<unknown> =>
    app.rows('UPDATE organizations SET events_per_month_limit = $2 WHERE id = $1', [owner.organizationId, limit]);
  /** Makes the claims of mails older than their time limit, except for the claim of a mail that is being sent. */
  const timeOutClaims = (except = ''): Promise<unknown> =>
    app.rows(
      `UPDATE quota_notice_mails q SET attempted_at = q.attempted_at - interval '2 minutes'
       FROM users u WHERE u.id = q.user_id AND u.email <> $1`,
      [except],
    );
  const mailsOf = (...people: { email: string }[]): Promise<number[]> =>
    Promise.all(people.map(async ({ email }) => (await mailsTo(app.dataDir, email)).length));
  const thresholds = async (owner: Owner): Promise<unknown[]> =>
    (await warnings(owner)).map(({ properties }) => properties.threshold_percent);

  it('are sent to owners and admins by mail, and stored in projects as an event, once for each threshold', async () => {
    const owner = await ownerWithProject(app);
    const [admin, operator] = [await addMember(app, owner, 'admin'), await addMember(app, owner, 'operator')];
    await setLimit(owner, 10);
    await use(owner, 7);
    await round();
    expect(await warnings(owner)).toEqual([]);

    await use(owner, 1);
    await Promise.all([round(), round()]);
    const [warning, ...others] = await warnings(owner);
    expect(others).toEqual([]);
    expect(warning).toMatchObject({
      source: 'service',
      severity: 'warning',
      message: '80 % of the monthly events are used: 8 of 10.',
      properties: {
        quota: 'events',
        threshold_percent: 80,
        used: 8,
        limit: 10,
        month: expect.stringMatching(/^\d{4}-\d{2}$/),
        reset_day: expect.stringMatching(/^\d{4}-\d{2}-01$/),
        organization_id: owner.organizationId,
      },
    });
    for (const { email } of [owner, admin]) {
      const [mail] = await waitForMails(app.dataDir, email, 1);
      expect(mail?.subject).toBe('Acme has used 80 % of the monthly events');
    }
    await use(owner, 2);
    await round();
    expect(await thresholds(owner)).toEqual([80, 100]);
    expect(await waitForMails(app.dataDir, owner.email, 2)).toHaveLength(2);
    expect(await mailsTo(app.dataDir, operator.email)).toEqual([]);
  });

  it('are neither metered nor refused, and reach alert rules and streams as other events do', async () => {
    const owner = await ownerWithProject(app);
    const rule = {
      project_id: owner.projectId,
      name: 'Quota',
      condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'service.quota_warning' }] },
    };
    await app.request().post('/v1/alert-rules').set('Authorization', owner.bearer).send(rule).expect(201);
    await setLimit(owner, 5);
    await use(owner, 5);
    const stream = await StreamClient.open(app, `/v1/events/stream?project_id=${owner.projectId}`, owner.bearer);
    await round();
    await runJob('rule-evaluations');
    await eventually(
      () => stream.messages,
      (messages) => messages.some(({ event }) => event?.event === 'service.quota_warning'),
    );
    stream.close();
    expect(await thresholds(owner)).toEqual([100]);
    const status = await get(owner, `/v1/billing/status?organization_id=${owner.organizationId}`);
    expect(status).toMatchObject({ events_used: 5, events_remaining: 0 });
    const alerts = await get<{ items: { event_type: string }[] }>(
      owner,
      `/v1/alerts/events?project_id=${owner.projectId}`,
    );
    expect(alerts.items.map(({ event_type }) => event_type)).toEqual(['service.quota_warning']);
    const days = await app.rows<{ events: number }>(
      'SELECT sum(events_ingested)::int AS events FROM usage_daily WHERE project_id = $1',
      [owner.projectId],
    );
    expect(days).toEqual([{ events: 5 }]);
    // Maintenance compares counters with the rows that they count.
    await runJob('maintenance');
    const differences = app.logLines.filter((line) => line.includes('counters differ'));
    expect(differences.filter((line) => line.includes(owner.organizationId))).toEqual([]);
  });

  it('are delivered to the destination of a rule on their event type', async () => {
    const owner = await ownerWithProject(app);
    const receiver = await startReceiver();
    try {
      const create = async (path: string, more: object): Promise<{ id: string }> => {
        const body = { project_id: owner.projectId, name: 'Quota', ...more };
        return (await app.request().post(path).set('Authorization', owner.bearer).send(body).expect(201)).body as {
          id: string;
        };
      };
      const { id } = await create('/v1/alert-destinations', { type: 'webhook', target_url: receiver.url });
      const condition = { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'service.quota_warning' }] };
      await create('/v1/alert-rules', { condition, destination_ids: [id] });
      await setLimit(owner, 5);
      await use(owner, 4);
      await round();
      await runJob('rule-evaluations');
      await runJob('alert-deliveries');
      const [request] = await receiver.requests(1);
      expect(JSON.parse(request!.body)).toMatchObject({
        project_id: owner.projectId,
        event_type: 'service.quota_warning',
        message: 'Quota: 80 % of the monthly events are used: 4 of 5.',
        payload: { quota: 'events', threshold_percent: 80, used: 4, limit: 5 },
      });
    } finally {
      await receiver.close();
    }
  });

  it('are not repeated after a raised limit', async () => {
    const owner = await ownerWithProject(app);
    await setLimit(owner, 5);
    await use(owner, 5);
    await round();
    await setLimit(owner, 10);
    await use(owner, 4);
    await round();
    await use(owner, 1);
    await round();
    expect(await thresholds(owner)).toEqual([100]);
  });

  it('are made for the requests of a month too', async () => {
    const owner = await ownerWithProject(app);
    await app.rows(
      `INSERT INTO organization_months (organization_id, month, events, requests)
       VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 0, 8)`,
      [owner.organizationId],
    );
    await round();
    const [warning] = await warnings(owner);
    expect(warning?.properties).toMatchObject({ quota: 'requests', threshold_percent: 80, used: 8, limit: 10 });
  });

  it('do not wait for the notices of another organization whose events cannot be stored', async () => {
    const [owner, other] = [await ownerWithProject(app), await ownerWithProject(app)];
    for (const each of [owner, other]) await setLimit(each, 5);
    await app.rows(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''refused''; END'`);
    await app.rows(
      `CREATE TRIGGER refuse BEFORE UPDATE ON quota_notices FOR EACH ROW
       WHEN (NEW.organization_id = '${owner.organizationId}') EXECUTE FUNCTION refuse()`,
    );
    // The notice that fails is the older one.
    for (const each of [owner, other]) {
      await use(each, 4);
      await expect(round()).rejects.toThrow('refused');
    }
    expect([await thresholds(owner), await thresholds(other)]).toEqual([[], [80]]);
    expect(await mailsOf(owner, other)).toEqual([1, 1]);

    await app.rows('DROP TRIGGER refuse ON quota_notices');
    await round();
    expect([await thresholds(owner), await thresholds(other)]).toEqual([[80], [80]]);
  });

  it('are mailed by a later round when a mail has timed out, which ends the round', async () => {
    const owner = await ownerWithProject(app);
    const admin = await addMember(app, owner, 'admin');
    await setLimit(owner, 5);
    await use(owner, 4);
    const send = jest.spyOn(app.nest.get(Mailer), 'send');
    send.mockImplementation(async () => {
      await timeOutClaims();
      // The tenth attempt fails permanently, so that a round that repeats mails ends too.
      return { status: 'failed', transient: send.mock.calls.length < 10, error: 'no answer', messageId: '<1@x>' };
    });
    await round();
    expect(send).toHaveBeenCalledTimes(1);
    expect(await thresholds(owner)).toEqual([80]);

    send.mockRestore();
    await round();
    expect(await mailsOf(owner, admin)).toEqual([1, 1]);
  });

  it('are mailed to each person once when a mail server is so slow that another round begins', async () => {
    const owner = await ownerWithProject(app);
    const people = [owner, await addMember(app, owner, 'admin'), await addMember(app, owner, 'admin')];
    await setLimit(owner, 5);
    await use(owner, 4);
    const mailer = app.nest.get(Mailer);
    const send = mailer.send.bind(mailer);
    jest.spyOn(mailer, 'send').mockImplementationOnce(async (mail) => {
      await timeOutClaims(mail.to);
      await round();
      return send(mail);
    });
    await round();
    expect(await mailsOf(...people)).toEqual([1, 1, 1]);
  });

  it('are completed by the next round when a process died after it had made them', async () => {
    const owner = await ownerWithProject(app);
    const slug = `second-${owner.organizationId}`;
    await app.rows(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [owner.organizationId]);
    const { body } = await app
      .request()
      .post('/v1/projects')
      .set('Authorization', owner.bearer)
      .send({ organization_id: owner.organizationId, name: 'Second', slug })
      .expect(201);
    const { id } = body as { id: string };
    await setLimit(owner, 5);
    await use(owner, 4);
    await round();
    expect([await warnings(owner), await warnings(owner, id)].map(({ length }) => length)).toEqual([1, 1]);
    // The state between the transactions of the first and the second project.
    await app.rows('UPDATE quota_notices SET projects_after = $2, has_all_events = false WHERE organization_id = $1', [
      owner.organizationId,
      owner.projectId,
    ]);
    await round();
    expect([await warnings(owner), await warnings(owner, id)].map(({ length }) => length)).toEqual([1, 2]);
  });
});
