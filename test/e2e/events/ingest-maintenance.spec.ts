import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ingestion } from '../../support/ingestion-api.js';
import { job, tenant } from '../../support/service.js';
import { createSource } from '../../support/sources-api.js';
import { ingestionDatabase } from '../../support/sql-builders/ingestion.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';
import { utcDay } from '../../support/utc-day.js';

const EVENT = { event_type: 'order.paid', source: 'shop', payload: { latency_ms: 12 } };
/** How many events a source may send a day on the plan "free". */
const DAILY_LIMIT = 10_000;

interface Sender {
  readonly organizationId: string;
  readonly projectId: string;
  readonly sourceId: string | null;
  readonly apiKey: string;
  readonly apiKeyId: string;
}

const projectIds: string[] = [];

afterEach(async () => {
  const { counted, real } = await ingestionDatabase.counters(projectIds.splice(0));
  expect(counted).toEqual(real);
});

async function sender({ plan, source }: { plan: 'free' | 'enterprise'; source: boolean }): Promise<Sender> {
  const acme = await tenant();
  const { organizationId, projectId, key } = acme;
  projectIds.push(projectId);
  await setPlan(organizationId, plan);
  if (!source) return { organizationId, projectId, sourceId: null, apiKey: key.apiKey, apiKeyId: key.id };
  const created = await createSource(acme);
  return { organizationId, projectId, sourceId: created.id, apiKey: created.key.key, apiKeyId: created.key.id };
}

describe('a round of maintenance', () => {
  let acme: Sender;

  beforeEach(async () => {
    acme = await sender({ plan: 'enterprise', source: true });
  });

  it('removes an Idempotency-Key 24 hours after its request, and not before', async () => {
    const send = (key: string) => ingestion.ingest(acme.apiKey, EVENT, { 'Idempotency-Key': key });
    const [old, young] = [await send('old'), await send('young')];
    await ingestionDatabase.ageIdempotencyKey(acme.apiKeyId, 'old', '24 hours 1 minute');
    await ingestionDatabase.ageIdempotencyKey(acme.apiKeyId, 'young', '23 hours 55 minutes');
    await job('maintenance');
    expect(await send('young')).toMatchObject({ status: 200, body: { ...young.body, duplicate: true } });
    const again = await send('old');
    expect(again).toMatchObject({ status: 200, body: { duplicate: false } });
    expect(again.body.ingested_event_id).not.toBe(old.body.ingested_event_id);
  });

  it('removes the record of a refusal after 30 days, and not before', async () => {
    await ingestionDatabase.setBillingStatus(acme.organizationId, 'inactive');
    expect((await ingestion.ingest(acme.apiKey, EVENT)).status).toBe(403);
    await ingestionDatabase.ageRefusals(acme.apiKeyId, 29);
    await job('maintenance');
    expect(await ingestionDatabase.refusals(acme.apiKeyId)).toMatchObject([{ reason_code: 'billing_inactive' }]);
    await ingestionDatabase.ageRefusals(acme.apiKeyId, 31);
    await job('maintenance');
    expect(await ingestionDatabase.refusals(acme.apiKeyId)).toEqual([]);
  });
});

describe('an event that is sent alone', () => {
  const word = fc.constantFrom('a', 'b');
  const event = fc.record(
    {
      event_type: fc.constantFrom('order.paid', 'order.error'),
      source: fc.constant('shop'),
      severity: word,
      status: fc.constantFrom('ok', 'error'),
      environment: word,
      timestamp: fc.constantFrom('2026-01-02T03:59:59.999Z', '2026-01-02T04:00:00Z', '2026-01-03T00:00:00Z'),
      payload: fc.record({ latency_ms: fc.constantFrom(0, 12, 13) }, { requiredKeys: [] }),
    },
    { requiredKeys: ['event_type', 'source'] },
  );
  const left = fc.option(fc.integer({ min: 1, max: 4 }), { nil: null });
  const situation = fc.record({
    events: fc.array(event, { minLength: 2, maxLength: 5 }),
    plan: fc.constantFrom('free' as const, 'enterprise' as const),
    month: left,
    day: left,
    source: fc.boolean(),
    seen: fc.boolean(),
    keyed: fc.boolean(),
  });
  type Situation = typeof situation extends fc.Arbitrary<infer Of> ? Of : never;

  const senderIn = async ({ plan, month, day, source, seen }: Situation): Promise<Sender> => {
    const created = await sender({ plan, source });
    const { organizationId, projectId, sourceId } = created;
    await ingestionDatabase.setMonthlyEvents(organizationId, month);
    if (seen || day !== null) {
      const events = day === null ? 1 : DAILY_LIMIT - day;
      await ingestionDatabase.countEvents({ projectId, sourceId, day: await utcDay(), events });
    }
    return created;
  };

  it('is judged, stored and counted as in a batch', async () => {
    await fc.assert(
      fc.asyncProperty(situation, async (given) => {
        const [apart, together] = [await senderIn(given), await senderIn(given)];
        const key = (name: string): Record<string, string> => (given.keyed ? { 'Idempotency-Key': name } : {});
        const now = new Date().toISOString();
        const events = given.events.map((one) => ({ timestamp: now, ...one }));
        const answers: unknown[] = [];
        for (const [index, one] of events.entries()) {
          const { status, body } = await ingestion.ingest(apart.apiKey, one, key(String(index)));
          answers.push(status === 200 ? true : body.detail);
        }
        const { body } = await ingestion.lines(together.apiKey, events, key('all'));
        const results = body.results as { accepted: boolean; detail?: unknown }[];
        expect(answers).toEqual(results.map(({ accepted, detail }) => accepted || detail));
        expect(await ingestionDatabase.countedFor(apart)).toEqual(await ingestionDatabase.countedFor(together));
        const accepted = answers.filter((one) => one === true).length;
        expect(await ingestionDatabase.idempotencyKeys(apart.apiKeyId)).toBe(given.keyed ? accepted : 0);
        await ingestionDatabase.recountSourceDays(apart.projectId, together.projectId);
      }),
      { numRuns: 12 },
    );
  });
});
