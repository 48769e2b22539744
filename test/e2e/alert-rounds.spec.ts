import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Owner, ownerWithProject } from '../support/actors.js';
import { createTestApp, type TestApp } from '../support/app.js';
import type { Json } from '../support/delivery.js';
import { Sender } from '../support/ingestion.js';
import { evaluateRules, type RuleClient, RULES_ENV, rulesOf } from '../support/rules.js';
import { eventually } from '../support/service-process.js';

jest.setTimeout(120_000);

describe('rounds over the rules of all projects', () => {
  let app: TestApp;
  let sender: Sender;
  let owner: Owner;
  let rules: RuleClient;

  beforeAll(async () => {
    app = await createTestApp({ env: RULES_ENV });
    sender = new Sender(app.url);
  });
  beforeEach(async () => {
    for (const table of ['alert_rules', 'event_watches', 'event_outbox']) await app.rows(`DELETE FROM ${table}`);
    owner = await ownerWithProject(app);
    rules = rulesOf(app, owner);
  });
  afterAll(async () => {
    sender.close();
    await app.close();
  });

  const send = async (of: Owner): Promise<void> => {
    const answer = await sender.ingest(of.apiKey, { event_type: 'payment.failed', source: 'shop' });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  };
  const raised = (of: Owner = owner): Promise<Json[]> =>
    app.rows('SELECT occurrences::int, status FROM alert_events WHERE project_id = $1 ORDER BY created_at', [
      of.projectId,
    ]);
  /** Rows are taken up once whatever began to be written before them has ended. */
  const outboxIsSettled = (): Promise<unknown> =>
    eventually(
      () => app.rows('SELECT FROM event_outbox WHERE txid >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1'),
      (unsettled) => unsettled.length === 0,
    );

  it('come to every project, however much another has waiting', async () => {
    const busy = await ownerWithProject(app);
    await rulesOf(app, busy).rule();
    await rules.rule();
    await app.rows(
      `INSERT INTO event_outbox (project_id, event_ids, timestamps, created_at)
       SELECT $1, '{}', '{}', now() - interval '1 hour' FROM generate_series(1, 6000)`,
      [busy.projectId],
    );
    await send(owner);
    await outboxIsSettled();
    await evaluateRules(app);
    expect(await raised()).toEqual([{ occurrences: 1, status: 'open' }]);
  });
});
