import { beforeEach, describe, expect, it } from '@jest/globals';
import { AlertingApi } from '../../support/alerting-api.js';
import { eventually } from '../../support/eventually.js';
import { RulesApi } from '../../support/rules-api.js';
import { logText } from '../../support/service-log.js';
import { api, job, type Tenant, tenant } from '../../support/service.js';
import {
  ageFailingRule,
  ageQueuedEvents,
  markOfKilledWorker,
  markOfLivingWorker,
  matchMark,
  queueByWriters,
  secondsUntilEvaluation,
  storeCondition,
  takeQueuedEvents,
  whileQueueing,
} from '../../support/sql-builders/rule-runs.js';
import { whileMatchingWaits } from '../../support/sql-builders/rules.js';

let acme: Tenant;
let rules: RulesApi;
let alerting: AlertingApi;

beforeEach(async () => {
  acme = await tenant();
  rules = new RulesApi(acme);
  alerting = new AlertingApi(acme);
});

/** The alert events of the project, the oldest first. */
const raised = async (alerts = alerting): Promise<{ occurrences: number; status: string }[]> =>
  (await alerts.list({ limit: 500 })).items.toReversed().map(({ occurrences, status }) => ({ occurrences, status }));
const counts = async (): Promise<number[]> =>
  (await raised()).map(({ occurrences }) => occurrences).toSorted((a, b) => a - b);

describe('the matching of events', () => {
  it('counts each event once that transactions queue late and out of order, while several rounds run', async () => {
    const EVENTS = 40;
    await rules.rule();
    const queued = await whileMatchingWaits(acme.projectId, async () => {
      for (let at = 0; at < EVENTS; at += 1) await alerting.send({});
      return takeQueuedEvents(acme.projectId);
    });
    expect(queued).toHaveLength(EVENTS);
    const over = new AbortController();
    const rounds = [1, 2, 3].map(async () => {
      while (!over.signal.aborted) await job('rule-evaluations');
    });
    await queueByWriters(acme.projectId, queued, 8).finally(() => over.abort());
    await Promise.all(rounds);
    await rules.matched();
    expect(await raised()).toEqual([{ occurrences: EVENTS, status: 'open' }]);
  });

  it('does not wait for a transaction that takes longer than ten seconds, and counts what the transaction queues late', async () => {
    await rules.rule();
    const late = await whileMatchingWaits(acme.projectId, async () => {
      await alerting.send({});
      return takeQueuedEvents(acme.projectId);
    });
    expect(late).toHaveLength(1);
    await whileQueueing(acme.projectId, late, async () => {
      await whileMatchingWaits(acme.projectId, async () => {
        await alerting.send({});
        await ageQueuedEvents(acme.projectId, 11);
      });
      const alerts = await eventually(
        async () => {
          await job('rule-evaluations');
          return raised();
        },
        ({ length }) => length > 0,
      );
      expect(alerts).toEqual([{ occurrences: 1, status: 'open' }]);
    });
    await rules.matched();
    expect(await raised()).toEqual([{ occurrences: 2, status: 'open' }]);
  });
});

describe('the matching of events after a worker was killed', () => {
  interface Activity {
    action: string;
    actor_user_id: string | null;
    target_type: string;
    target_id: string;
    detail: object;
  }

  /** Reads the actions on rules from the activity of the project. */
  const activity = async (): Promise<Activity[]> => {
    const { body } = await api.as(acme.owner).get(`/v1/projects/${acme.projectId}/activity`).expect(200);
    return (body as { items: Activity[] }).items.filter(({ action }) => action.startsWith('alert_rules.'));
  };

  it('counts every event of a batch of which no event kills a worker, one by one, and later whole batches again', async () => {
    await rules.rule({ group_by: ['properties.n'] });
    const events = Array.from({ length: 30 }, (_, n) => ({ payload: { n: n % 3 } }));
    await whileMatchingWaits(acme.projectId, async () => {
      await alerting.send(...events);
      await alerting.send({ payload: {} });
      await markOfKilledWorker(acme.projectId, 'several events');
    });
    await rules.matched();
    expect(await counts()).toEqual([1, 10, 10, 10]);
    expect(await activity()).toEqual([]);
    expect(await matchMark(acme.projectId)).toMatchObject({ is_evaluating: false, event_id: expect.any(String) });
    await whileMatchingWaits(acme.projectId, () => alerting.send(...events));
    await rules.matched();
    expect(await matchMark(acme.projectId)).toMatchObject({ event_id: null, suspects_until: null });
  });

  it('counts an event that was matched alone when the first worker was killed, and logs that', async () => {
    await rules.rule();
    await whileMatchingWaits(acme.projectId, async () => {
      await alerting.send({});
      await markOfKilledWorker(acme.projectId, 'the first event');
    });
    await rules.matched();
    expect([await raised(), await activity()]).toEqual([[{ occurrences: 1, status: 'open' }], []]);
    expect(await logText()).toContain(`matched events of project ${acme.projectId}: they are taken one by one`);
  });

  it('sets the event aside that has killed a second worker, shows that in the activity, and counts all others', async () => {
    const globex = await tenant();
    await rules.rule({ keep_firing_seconds: 3_600 });
    await new RulesApi(globex).rule();
    const eventId = await whileMatchingWaits(acme.projectId, async () => {
      await alerting.send({}, {}, {}, {}, {});
      await new AlertingApi(globex).send({});
      return markOfKilledWorker(acme.projectId, 'the first event after a first death');
    });
    await rules.matched();
    await new RulesApi(globex).matched();
    expect([await raised(), await raised(new AlertingApi(globex))]).toEqual([
      [{ occurrences: 4, status: 'open' }],
      [{ occurrences: 1, status: 'open' }],
    ]);
    expect(await activity()).toEqual([
      expect.objectContaining({
        action: 'alert_rules.event_set_aside',
        actor_user_id: null,
        target_type: 'event',
        target_id: eventId,
        detail: { reason: 'ended_a_worker' },
      }),
    ]);
    expect(await logText()).toContain(`event ${eventId} of project ${acme.projectId} is set aside`);
  });

  it('sets no event aside for the mark of a worker that lives', async () => {
    await rules.rule();
    await alerting.send({});
    await rules.matched();
    await whileMatchingWaits(acme.projectId, async () => {
      const [eventId = ''] = await alerting.send({});
      await markOfLivingWorker(acme.projectId, eventId);
    });
    await rules.matched();
    expect([await raised(), await activity()]).toEqual([[{ occurrences: 2, status: 'open' }], []]);
  });
});

describe('a rule that cannot be evaluated', () => {
  it('is evaluated again after a minute, two, four and so on, and an hour at most', async () => {
    const condition = { kind: 'threshold', window_seconds: 60, aggregate: 'count', op: 'gt', value: 1 };
    const id = await rules.rule({ condition });
    await storeCondition(id, { kind: 'threshold' });
    const waits: number[] = [];
    for (let failure = 0; failure < 9; failure += 1) {
      const wait = await eventually(
        async () => {
          await job('rule-evaluations');
          return secondsUntilEvaluation(id);
        },
        (seconds) => seconds > 30,
      );
      waits.push(Math.round(wait));
      await ageFailingRule(id, wait);
    }
    // In parts: each wait is twice the time since the first failure, so the time that a round takes doubles as well.
    const expected = [60, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600];
    expect(waits.map((wait, at) => wait / (expected[at] ?? 0))).toEqual(expected.map(() => expect.closeTo(1, 0.5)));
  });
});
