import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response, Test } from 'supertest';
import { v7 as newId } from 'uuid';
import { type ActivityEntry, activityOf } from '../../support/activity.js';
import { AlertingApi } from '../../support/alerting-api.js';
import { deliveryOf } from '../../support/delivery-api.js';
import { eventually } from '../../support/eventually.js';
import { eventIs, faultsOf, RulesApi } from '../../support/rules-api.js';
import { api, type Tenant, tenant } from '../../support/service.js';
import { areEventsQueued, fillAlertRules, storedAlertRules } from '../../support/sql-builders/rules.js';

const HOOK = 'https://hooks.example.com/alerts';
const NO_ID_OF_IT = 'Value error, the project has none of this id';
const THRESHOLD = {
  kind: 'threshold',
  window_seconds: 300,
  aggregate: 'avg',
  aggregate_field: 'properties.amount',
  op: 'gte',
  value: 10,
};
const TWENTY_ONE_IDS = Array.from({ length: 21 }, (_, n) => `0199f3a1-0000-7000-8000-${String(n).padStart(12, '0')}`);
const CHANGE = {
  kind: 'rate_of_change',
  window_seconds: 300,
  compare_seconds: 3_600,
  aggregate: 'count',
  direction: 'up',
  percent: 50,
};

let acme: Tenant;
let rules: RulesApi;
let alerts: AlertingApi;

async function newTenant(): Promise<void> {
  acme = await tenant();
  rules = new RulesApi(acme);
  alerts = new AlertingApi(acme);
}

const channel = (of: Tenant = acme): Promise<string> => deliveryOf(of).webhook(HOOK);
/** Everything that refused requests must not change. */
const stored = (): Promise<unknown[]> => storedAlertRules(acme.projectId);
/** Whether a request was refused for the load of the machine: patterns are tried for a short time, and few at once. */
const isRefusedForLoad = ({ status, body }: Response): boolean =>
  status === 503 || JSON.stringify(body).includes('PostgreSQL takes too long');
/** Sends a request whose patterns can be used, again if the machine is busy. */
const usable = (send: () => Test): Promise<Response> =>
  eventually(
    async () => send(),
    (answer) => !isRefusedForLoad(answer),
  );

describe('an alert rule', () => {
  beforeEach(newTenant);

  const audits = async (): Promise<ActivityEntry[]> =>
    (await activityOf(acme)).filter(({ target_type }) => target_type === 'alert_rule');
  const deleteDestination = (id: string) => api.as(acme.owner).delete(`/v1/alert-destinations/${id}`).expect(204);

  it('returns 422 that repeats what was sent, also below a member that is named value', async () => {
    const condition = { ...THRESHOLD, all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] };
    const { body } = await rules.create({ name: undefined, condition }).expect(422);
    expect((body as { detail: unknown[] }).detail[0]).toMatchObject({ loc: ['body', 'name'], input: { condition } });
  });

  it('is created with defaults, shown, listed newest first and deleted, and the audit log has each change', async () => {
    const condition = { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] };
    const created = await rules.create({ condition }).expect(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      project_id: acme.projectId,
      name: 'Payments fail',
      is_enabled: true,
      severity: 'warning',
      condition,
      group_by: [],
      for_seconds: 0,
      keep_firing_seconds: 0,
      cooldown_seconds: 300,
      destination_ids: [],
      channel_ids: [],
      notifies: 'all_webhooks',
      runbook_url: null,
      notes: null,
      state: 'inactive',
      last_error: null,
      last_error_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const { id } = created.body as { id: string };
    const second = await rules.rule({ name: 'Second', is_enabled: false, severity: 'critical' });
    expect(await rules.get(id)).toEqual(created.body);
    expect((await rules.list()).map((rule) => [rule.id, rule.is_enabled])).toEqual([
      [second, false],
      [id, true],
    ]);
    await rules.remove(id).expect(204);
    await rules.read(id).expect(404, { detail: 'Alert rule not found' });
    expect((await rules.list()).map((rule) => rule.id)).toEqual([second]);
    expect((await audits()).map(({ action, target_id: of }) => [action, of])).toEqual([
      ['alert_rule.created', id],
      ['alert_rule.created', second],
      ['alert_rule.deleted', id],
    ]);
  });

  it('is changed field by field, refuses null, and the audit log names the fields of each change', async () => {
    const id = await rules.rule({ group_by: ['source'] });
    const before = await rules.get(id);
    const destination = await alerts.destination(HOOK);
    const changes: Record<string, unknown> = {
      name: 'Refunds fail',
      severity: 'info',
      condition: { kind: 'match', ...eventIs('refund.failed') },
      group_by: ['properties.shop'],
      for_seconds: 60,
      keep_firing_seconds: 120,
      cooldown_seconds: 0,
      is_enabled: false,
      destination_ids: [destination],
    };
    let expected: Record<string, unknown> = { ...before };
    for (const [name, value] of Object.entries(changes)) {
      const changed = await rules.patched(id, { [name]: value });
      expected = { ...expected, [name]: value, updated_at: expect.any(String) };
      if (name === 'destination_ids') expected['notifies'] = 'linked';
      expect(changed).toEqual(expected);
      expect(await rules.get(id)).toEqual(changed);
    }
    expect((await rules.get(id)).updated_at > before.updated_at).toBe(true);
    expect(await rules.patched(id, {})).toMatchObject(changes);
    const fields = (await audits()).slice(1).map(({ detail }) => (detail as { fields: string[] }).fields);
    expect(fields).toEqual([...Object.keys(changes).map((name) => [name]), []]);
    for (const name of Object.keys(changes)) {
      expect([name, (await rules.patch(id, { [name]: null })).status]).toEqual([name, 422]);
    }
    expect(await rules.get(id)).toMatchObject(changes);
  });

  it('has a runbook and notes, which other changes keep and null removes', async () => {
    const address = 'https://wiki.example.com/';
    const given = { runbook_url: address.padEnd(2_048, 'a'), notes: `1. Call the bank.\n${'🔥'.repeat(3_982)}` };
    const id = await rules.rule(given);
    await rules.patch(id, { name: 'Other' }).expect(200);
    await rules.link(id, {}).expect(200);
    expect(await rules.get(id)).toMatchObject(given);
    expect(await rules.patched(id, { runbook_url: null })).toMatchObject({ ...given, runbook_url: null });
    const other = { runbook_url: 'HTTP://10.0.0.1:8080/wiki?page=1#top', notes: '' };
    expect(await rules.patched(id, other)).toMatchObject(other);
    expect(await rules.patched(id, { notes: null })).toMatchObject({ ...other, notes: null });
    expect((await rules.create({ runbook_url: null, notes: null }).expect(201)).body).toMatchObject({
      runbook_url: null,
      notes: null,
    });
    const longer = { runbook_url: address.padEnd(2_049, 'a'), notes: 'n'.repeat(4_001) };
    const faults = [
      ['runbook_url', 'URL should have at most 2048 characters'],
      ['notes', 'String should have at most 4000 characters'],
    ];
    for (const request of [rules.create(longer), rules.patch(id, longer)]) {
      expect(faultsOf(await request.expect(422))).toEqual(faults);
    }
  });

  it('has the events of its project queued while it is enabled and matches single events', async () => {
    const isQueued = () => areEventsQueued(acme.projectId);
    expect(await isQueued()).toBe(false);
    const windowed = await rules.rule({ condition: CHANGE });
    expect(await isQueued()).toBe(false);
    const id = await rules.rule({ is_enabled: false });
    expect(await isQueued()).toBe(false);
    await rules.patch(id, { is_enabled: true }).expect(200);
    expect(await isQueued()).toBe(true);
    await rules.patch(id, { is_enabled: false }).expect(200);
    expect(await isQueued()).toBe(false);
    await rules.patch(windowed, { condition: { kind: 'match' } }).expect(200);
    expect(await isQueued()).toBe(true);
    const other = await rules.rule();
    await rules.remove(windowed).expect(204);
    expect(await isQueued()).toBe(true);
    await rules.patch(other, { condition: THRESHOLD }).expect(200);
    expect(await isQueued()).toBe(false);
  });

  it('has the events of its project queued only while it needs them when rules change at the same time', async () => {
    const isQueued = () => areEventsQueued(acme.projectId);
    const ids = await Promise.all(Array.from({ length: 6 }, () => rules.rule()));
    await Promise.all(ids.map((id, at) => (at % 2 === 0 ? rules.remove(id) : rules.patch(id, { is_enabled: false }))));
    expect(await isQueued()).toBe(false);
    const [last] = await Promise.all([rules.rule(), rules.remove(ids[1] ?? '')]);
    expect(await isQueued()).toBe(true);
    await Promise.all([rules.remove(last), rules.remove(last), rules.patch(last, { name: 'Late' })]);
    expect(await isQueued()).toBe(false);
  });

  it('becomes inactive when it is disabled, regrouped or gets another kind, and keeps its state in other changes', async () => {
    const condition = { kind: 'threshold', window_seconds: 3_600, aggregate: 'count', op: 'gte', value: 1 };
    await alerts.send({});
    const id = await rules.rule({ condition });
    const stateAfter = async (change: object): Promise<string> => (await rules.patched(id, change)).state;
    const fires = () =>
      eventually(
        () => rules.stateOf(id),
        (state) => state === 'firing',
      );
    await fires();
    expect(await stateAfter({ name: 'Other', condition: { ...condition, value: 0.5 } })).toBe('firing');
    expect(await stateAfter({ runbook_url: 'https://wiki.example.com', notes: 'Call the bank.' })).toBe('firing');
    expect(await stateAfter({ for_seconds: 60, group_by: [] })).toBe('firing');
    expect(await stateAfter({ for_seconds: 0, group_by: ['source'] })).toBe('inactive');
    await fires();
    expect(await stateAfter({ condition: CHANGE })).toBe('inactive');
    await rules.patch(id, { condition }).expect(200);
    await fires();
    expect(await stateAfter({ is_enabled: false })).toBe('inactive');
    expect(await rules.stateOf(id)).toBe('inactive');
  });

  it('links destinations and channels of its project in the order given, and both lists are replaced', async () => {
    const [first, second] = [await alerts.destination(HOOK), await alerts.destination(HOOK)];
    const [one, two] = [await channel(), await channel()];
    const id = await rules.rule({ destination_ids: [second, first], channel_ids: [two, one] });
    expect(await rules.get(id)).toMatchObject({ destination_ids: [second, first], channel_ids: [two, one] });
    const before = await rules.get(id);
    const replaced = await rules.link(id, { destination_ids: [first] }).expect(200);
    expect(replaced.body).toEqual({
      ...before,
      destination_ids: [first],
      channel_ids: [],
      updated_at: expect.any(String),
    });
    expect(await rules.patched(id, { channel_ids: [one] })).toMatchObject({
      destination_ids: [first],
      channel_ids: [one],
    });
    expect((await rules.link(id, {}).expect(200)).body).toMatchObject({ destination_ids: [], channel_ids: [] });
    await rules.link(id).expect(200);
    expect((await audits()).map(({ action }) => action)).toEqual([
      'alert_rule.created',
      'alert_rule.destinations_replaced',
      'alert_rule.updated',
      'alert_rule.destinations_replaced',
      'alert_rule.destinations_replaced',
    ]);
  });

  it('loses the links to what is deleted, and notifies nobody once its last link is gone', async () => {
    const [first, second] = [await alerts.destination(HOOK), await alerts.destination(HOOK)];
    const one = await channel();
    const id = await rules.rule({ destination_ids: [first, second], channel_ids: [one] });
    await deleteDestination(first);
    expect((await deliveryOf(acme).send('delete', `/channels/${one}`)).status).toBe(204);
    expect(await rules.get(id)).toMatchObject({ destination_ids: [second], channel_ids: [], notifies: 'linked' });
    await deleteDestination(second);
    expect(await rules.get(id)).toMatchObject({ destination_ids: [], channel_ids: [], notifies: 'nobody' });
    expect((await rules.patched(id, { name: 'Still nobody' })).notifies).toBe('nobody');
    const wide = { destination_ids: [], channel_ids: [], notifies: 'all_webhooks' };
    expect(await rules.patched(id, { destination_ids: [], channel_ids: [] })).toMatchObject(wide);
  });

  it('returns 422 when it links what another project has, with the same reason as for unknown ids', async () => {
    const globex = await tenant();
    const mine = await alerts.destination(HOOK);
    const theirs = await new AlertingApi(globex).destination(HOOK);
    const [theirChannel, nobodys] = [await channel(globex), newId()];
    const id = await rules.rule({ destination_ids: [mine] });
    const before = await stored();
    const refused = {
      destination_ids: [mine, theirs, nobodys],
      channel_ids: [nobodys, theirChannel],
    };
    const faults = [
      ['destination_ids.1', NO_ID_OF_IT],
      ['destination_ids.2', NO_ID_OF_IT],
      ['channel_ids.0', NO_ID_OF_IT],
      ['channel_ids.1', NO_ID_OF_IT],
    ];
    const requests = [rules.create(refused), rules.preview(refused), rules.patch(id, refused), rules.link(id, refused)];
    for (const request of requests) {
      expect(faultsOf(await request.expect(422))).toEqual(faults);
    }
    const twice = await rules.link(id, { destination_ids: [mine, mine.toUpperCase()] }).expect(422);
    expect(faultsOf(twice)).toEqual([['destination_ids', 'Value error, each is named once']]);
    expect(await stored()).toEqual(before);
  });

  it('returns 404 to members of other projects as for an unknown id, and 422 for a malformed id', async () => {
    const globex = await tenant();
    const id = await rules.rule();
    const theirs = new RulesApi(globex);
    const before = await stored();
    const calls = (client: RulesApi, of: string): Promise<Response[]> =>
      Promise.all([
        client.read(of),
        client.patch(of, { name: 'Mine' }),
        client.link(of, {}),
        client.backtest(of),
        client.remove(of),
      ]);
    for (const answer of [...(await calls(theirs, id)), ...(await calls(rules, newId()))]) {
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Alert rule not found' }]);
    }
    for (const { status, body } of await calls(rules, 'no-id')) {
      expect([status, (body as { detail: { loc: string[] }[] }).detail[0]?.loc]).toEqual([422, ['path', 'rule_id']]);
    }
    expect(await stored()).toEqual(before);
  });

  it('is neither created nor listed in a project by those who do not belong to it, nor without a project', async () => {
    const globex = await tenant();
    await rules.rule();
    const before = await stored();
    const elsewhere = rules.as(globex.owner);
    await elsewhere.create().expect(403, { detail: 'Not a project member' });
    await elsewhere.preview().expect(403, { detail: 'Not a project member' });
    await api.as(globex.owner).get('/v1/alert-rules', { project_id: acme.projectId }).expect(403);
    const nowhere = api.as(acme.owner).post('/v1/alert-rules', { name: 'x', condition: { kind: 'match' } });
    expect(faultsOf(await nowhere.expect(422))).toEqual([['project_id', 'Field required']]);
    expect(await stored()).toEqual(before);
    expect(await new RulesApi(globex).list()).toEqual([]);
  });

  it.each(['viewer', 'member'] as const)('is shown to a %s, who can neither change nor back-test it', async (role) => {
    const id = await rules.rule();
    const before = await stored();
    const reader = rules.as(await acme[role]());
    expect((await reader.list()).map((rule) => rule.id)).toEqual([id]);
    expect(await reader.get(id)).toEqual(await rules.get(id));
    for (const request of [
      reader.create(),
      reader.preview(),
      reader.patch(id, { name: 'Mine' }),
      reader.link(id, {}),
      reader.backtest(id),
      reader.remove(id),
    ]) {
      await request.expect(403, { detail: 'Insufficient project role' });
    }
    expect(await stored()).toEqual(before);
  });

  it('is previewed, created, changed, linked, back-tested and deleted by operators', async () => {
    const operator = rules.as(await acme.operator());
    await operator.preview().expect(200);
    const own = await operator.rule();
    await operator.patch(own, { name: 'Ours' }).expect(200);
    await operator.link(own, {}).expect(200);
    await operator.backtest(own).expect(200);
    await operator.remove(own).expect(204);
  });

  it('returns 409 when its project has 200 others, also in a race', async () => {
    await fillAlertRules(acme.projectId, 197);
    const answers = await Promise.all(Array.from({ length: 8 }, () => rules.create()));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body as object])).toEqual(
      Array.from({ length: 5 }, () => [409, { detail: 'Project has too many alert rules' }]),
    );
    expect(await rules.list()).toHaveLength(200);
  });
});

describe('an alert rule with valid fields', () => {
  beforeAll(newTenant);

  it.each<[string, object]>([
    ['nothing but its kind', { kind: 'match' }],
    [
      'nested all, any and not',
      {
        kind: 'match',
        any: [
          { not: { field: 'severity', op: 'exists', value: true } },
          { field: 'log.status', op: 'gte', value: 500 },
        ],
        not: { all: [{ field: 'properties.card.brand', op: 'in', value: ['visa', 7, true] }] },
      },
    ],
    [
      'every text operator',
      {
        kind: 'match',
        all: [
          { field: 'message', op: 'contains', value: 'tim' },
          { field: 'message', op: 'starts_with', value: 'Re' },
          { field: 'message', op: 'matches', value: '(?i)^re.*t\\.$' },
          { field: 'environment', op: 'ne', value: 'test' },
        ],
      },
    ],
    ['a threshold', { ...THRESHOLD, any: [eventIs('a'), eventIs('b')] }],
    ['a count', { ...THRESHOLD, aggregate: 'count', aggregate_field: undefined }],
    ['a log field', { ...THRESHOLD, aggregate: 'p99', aggregate_field: 'log.latency_ms' }],
    ['a change', { ...CHANGE, direction: 'both', percent: 0.5 }],
    ['findings', { kind: 'anomaly' }],
    [
      'some findings',
      {
        kind: 'anomaly',
        finding_kinds: ['silence', 'rate_drop'],
        min_severity: 'critical',
        not: { field: 'series_value', op: 'eq', value: 'debug' },
      },
    ],
    ['an absence', { kind: 'absence', window_seconds: 60, ...eventIs('heartbeat') }],
  ])('returns a condition of %s as it was sent', async (_, condition) => {
    const created = await usable(() => rules.create({ condition }));
    expect(created.status).toBe(201);
    expect((created.body as { condition: object }).condition).toEqual(JSON.parse(JSON.stringify(condition)));
  });

  it.each<[object, string, string]>([
    [
      { from_ts: 'yesterday' },
      'from_ts',
      expect.stringMatching(/^Input should be a valid datetime/) as unknown as string,
    ],
    [
      { from_ts: '2026-03-02T00:00:00Z', to_ts: '2026-03-02T00:00:00Z' },
      'from_ts',
      'Value error, from_ts must lie before to_ts',
    ],
    [
      { from_ts: '2026-03-01T00:00:00Z', to_ts: '2026-03-08T00:00:01Z' },
      'from_ts',
      'Value error, a back-test covers at most 7 days',
    ],
  ])('returns 422 when it is back-tested or previewed with %j, and names %s', async (window, place, reason) => {
    for (const request of [rules.backtest(await rules.rule(), window), rules.preview(window)]) {
      expect(faultsOf(await request.expect(422))).toEqual([[place, reason]]);
    }
  });
});

describe('an alert rule with invalid fields', () => {
  // Nothing is stored here, so nothing that the tests compare is evaluated meanwhile.
  beforeAll(newTenant);

  const kinds = "Input should be 'match', 'threshold', 'rate_of_change', 'absence' or 'anomaly'";
  const operators =
    "Input should be 'eq', 'ne', 'in', 'contains', 'starts_with', 'matches', 'gt', 'gte', 'lt', 'lte' or 'exists'";
  const compare = (field: string, op: string, value?: unknown): object => ({
    condition: { kind: 'match', all: [{ field, op, value }] },
  });
  const nested = (levels: number): object =>
    levels === 0 ? { field: 'event', op: 'exists' } : { not: nested(levels - 1) };
  it.each<[object, string, string]>([
    [{ name: '' }, 'name', 'String should have at least 1 character'],
    [{ name: 'n'.repeat(201) }, 'name', 'String should have at most 200 characters'],
    [{ name: 'a\0' }, 'name', 'Value error, text must not contain NUL or unpaired surrogate characters'],
    [{ severity: 'fatal' }, 'severity', "Input should be 'info', 'warning' or 'critical'"],
    [{ is_enabled: 'perhaps' }, 'is_enabled', 'Input should be a valid boolean, unable to interpret input'],
    [{ for_seconds: -1 }, 'for_seconds', 'Input should be greater than or equal to 0'],
    [{ for_seconds: 1.5 }, 'for_seconds', 'Input should be a valid integer, got a number with a fractional part'],
    [{ keep_firing_seconds: 86_401 }, 'keep_firing_seconds', 'Input should be less than or equal to 86400'],
    [
      { cooldown_seconds: 'soon' },
      'cooldown_seconds',
      'Input should be a valid integer, unable to parse string as an integer',
    ],
    [{ group_by: 'event' }, 'group_by', 'Input should be a valid list'],
    [{ condition: { kind: 'anomaly' }, group_by: ['event'] }, 'group_by', 'Value error, findings group themselves'],
    [
      { condition: { kind: 'anomaly', finding_kinds: [] } },
      'condition.finding_kinds',
      'List should have at least 1 item after validation, not 0',
    ],
    [
      { condition: { kind: 'anomaly', min_severity: 'fatal' } },
      'condition.min_severity',
      "Input should be 'info', 'warning' or 'critical'",
    ],
    [
      { condition: { kind: 'anomaly', all: [{ field: 'event', op: 'exists' }] } },
      'condition.all.0.field',
      'Value error, unknown field; fields are kind, severity, series_type, series_value, metric, score, actual, expected',
    ],
    [{ group_by: ['event', 'event'] }, 'group_by', 'Value error, each field is named once'],
    [{ group_by: ['message'] }, 'group_by.0', 'Value error, messages are too many to group by'],
    [
      { group_by: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `properties.${name}`) },
      'group_by',
      'List should have at most 5 items after validation, not 6',
    ],
    [
      { group_by: ['properties.'] },
      'group_by.0',
      'Value error, a property is named by 1 to 16 names with dots between',
    ],
    [
      { destination_ids: ['x'] },
      'destination_ids.0',
      expect.stringMatching(/^Input should be a valid UUID/) as unknown as string,
    ],
    [
      { destination_ids: TWENTY_ONE_IDS },
      'destination_ids',
      'List should have at most 20 items after validation, not 21',
    ],
    [{ runbook_url: 'javascript:alert(1)' }, 'runbook_url', "URL scheme should be 'http' or 'https'"],
    [{ runbook_url: '/pay' }, 'runbook_url', 'Input should be a valid URL, relative URL without a base'],
    [{ notes: 'a\0' }, 'notes', 'Value error, text must not contain NUL or unpaired surrogate characters'],
    [{ condition: undefined }, 'condition', 'Field required'],
    [{ condition: [] }, 'condition', 'Input should be a valid dictionary or object to extract fields from'],
    [{ condition: {} }, 'condition.kind', 'Field required'],
    [{ condition: { kind: 'guess' } }, 'condition.kind', kinds],
    [
      { condition: { kind: 'match', filter: [] } },
      'condition.filter',
      'Value error, unknown member; known here are all, any, not, kind',
    ],
    [{ condition: { kind: 'match', all: {} } }, 'condition.all', 'Input should be a valid list'],
    [
      { condition: { kind: 'match', any: [] } },
      'condition.any',
      'List should have at least 1 item after validation, not 0',
    ],
    [
      { condition: { kind: 'match', not: 7 } },
      'condition.not',
      'Input should be a valid dictionary or object to extract fields from',
    ],
    [
      { condition: { kind: 'match', all: [{}] } },
      'condition.all.0',
      'Value error, a filter is all, any or not, or a comparison of field, op and value',
    ],
    [{ condition: { kind: 'match', all: [{ field: 'event', op: 'eq' }] } }, 'condition.all.0.value', 'Field required'],
    [compare('event', 'like', 'a'), 'condition.all.0.op', operators],
    [compare('event', 'gt', 1), 'condition.all.0.op', 'Value error, gt compares numbers, and event is text'],
    [
      compare('log.status', 'matches', '5..'),
      'condition.all.0.op',
      'Value error, matches looks into text, and log.status is a number',
    ],
    [compare('log.status', 'eq', '500'), 'condition.all.0.value', 'Input should be a valid number'],
    [compare('event', 'eq', 7), 'condition.all.0.value', 'Input should be a valid string'],
    [
      compare('properties.a', 'eq', null),
      'condition.all.0.value',
      'Value error, a value is text, a number, true or false',
    ],
    [
      compare('properties.a', 'in', []),
      'condition.all.0.value',
      'List should have at least 1 item after validation, not 0',
    ],
    [
      compare('event', 'matches', '(a'),
      'condition.all.0.value',
      "Value error, the pattern cannot be used: missing ')'",
    ],
    [
      compare('event', 'matches', '(a)\\1'),
      'condition.all.0.value',
      'Value error, the pattern cannot be used: \\1 cannot be used',
    ],
    [
      compare('colour', 'eq', 'red'),
      'condition.all.0.field',
      expect.stringMatching(
        /^Value error, unknown field; fields are event, source, .*properties\.<path>$/,
      ) as unknown as string,
    ],
    [
      { condition: { kind: 'match', ...nested(9) } },
      `condition${'.not'.repeat(9)}`.replace(/\.not$/, ''),
      'Value error, filters nest at most 8 levels deep',
    ],
    [
      { condition: { kind: 'match', all: Array.from({ length: 101 }, () => nested(0)) } },
      'condition.all.100',
      'Value error, a filter has at most 100 parts',
    ],
    [
      { condition: { ...THRESHOLD, window_seconds: 59 } },
      'condition.window_seconds',
      'Input should be greater than or equal to 60',
    ],
    [{ condition: { ...THRESHOLD, window_seconds: undefined } }, 'condition.window_seconds', 'Field required'],
    [
      { condition: { ...THRESHOLD, aggregate: 'mode' } },
      'condition.aggregate',
      "Input should be 'count', 'sum', 'avg', 'min', 'max', 'p50', 'p95', 'p99' or 'error_rate'",
    ],
    [{ condition: { ...THRESHOLD, aggregate_field: undefined } }, 'condition.aggregate_field', 'Field required'],
    [
      { condition: { ...THRESHOLD, aggregate: 'count' } },
      'condition.aggregate_field',
      'Value error, count counts events and takes no aggregate_field',
    ],
    [
      { condition: { ...THRESHOLD, aggregate_field: 'event' } },
      'condition.aggregate_field',
      'Value error, aggregate_field is a property or a field that holds numbers',
    ],
    [
      { condition: { ...THRESHOLD, op: 'contains' } },
      'condition.op',
      "Input should be 'eq', 'ne', 'gt', 'gte', 'lt' or 'lte'",
    ],
    [
      { condition: { ...THRESHOLD, value: 'ten' } },
      'condition.value',
      'Input should be a valid number, unable to parse string as a number',
    ],
    [{ condition: { ...CHANGE, percent: 0 } }, 'condition.percent', 'Input should be greater than 0'],
    [
      { condition: { ...CHANGE, direction: 'sideways' } },
      'condition.direction',
      "Input should be 'up', 'down' or 'both'",
    ],
    [
      { condition: { ...CHANGE, compare_seconds: 604_801 } },
      'condition.compare_seconds',
      'Input should be less than or equal to 604800',
    ],
    [{ condition: { kind: 'absence' } }, 'condition.window_seconds', 'Field required'],
    [
      { condition: { kind: 'absence', window_seconds: 60, percent: 5 } },
      'condition.percent',
      'Value error, unknown member; known here are all, any, not, kind, window_seconds',
    ],
  ])('returns 422 when it is created or previewed with %j, and names %s', async (change, place, reason) => {
    const before = await stored();
    for (const request of [rules.create(change), rules.preview(change)]) {
      expect(faultsOf(await request.expect(422))).toEqual([[place, reason]]);
    }
    expect(await stored()).toEqual(before);
  });

  it('returns 422 that names every invalid member of a request', async () => {
    const refused = await rules
      .create({
        name: 7,
        condition: { ...THRESHOLD, op: 'is', value: [], all: [{ field: 'event', op: 'eq', value: 1 }] },
      })
      .expect(422);
    expect(faultsOf(refused).map(([place]) => place)).toEqual([
      'name',
      'condition.all.0.value',
      'condition.op',
      'condition.value',
    ]);
  });
});

describe('a filter with patterns', () => {
  beforeAll(newTenant);

  const matching = (...patterns: string[]): object => ({
    kind: 'match',
    any: patterns.map((value) => ({ field: 'message', op: 'matches', value })),
  });
  const FIRST_PATTERN = 'condition.any.0.value';
  /** Sends a request whose first pattern can be used and whose second cannot, again if the machine is busy. */
  const unusable = (send: () => Test): Promise<Response> =>
    eventually(
      async () => send(),
      (answer) => !isRefusedForLoad(answer) || (answer.status === 422 && faultsOf(answer)[0]?.[0] !== FIRST_PATTERN),
    );

  it.each<[string, unknown]>([
    // Which of both comes first depends on the machine.
    ['(^|a|$){60}x', expect.stringMatching(/: PostgreSQL (refuses it as too complex|takes too long for it)$/)],
    ['(?:(^|a)*(b|$)*){20}x', 'Value error, the pattern cannot be used: PostgreSQL takes too long for it'],
    ['a.{99}.{99}.{99}.{99}.{60}c', 'Value error, the pattern cannot be used: the pattern is too large; repeat less'],
    ['((((){100}){100}){100}){100}', 'Value error, the pattern cannot be used: the pattern is too large; repeat less'],
  ])('returns 422 when one of its patterns costs too much: %s', async (pattern, sentence) => {
    const id = await rules.rule();
    const before = await stored();
    const condition = matching('fine', pattern);
    const fault = [422, [['condition.any.1.value', sentence]]];
    for (const send of [() => rules.create({ condition }), () => rules.patch(id, { condition })]) {
      const answer = await unusable(send);
      expect([answer.status, faultsOf(answer)]).toEqual(fault);
    }
    expect(await stored()).toEqual(before);
  });

  it('has at most 20 patterns, in conditions of single events and of windows', async () => {
    const twenty = Array.from({ length: 20 }, (_, index) => `(?i)^worker ${index}: .*timed? out$`);
    const accepted = await usable(() => rules.create({ condition: matching(...twenty) }));
    expect(accepted.status).toBe(201);
    const fault = [['condition.any.20.value', 'Value error, a filter has at most 20 patterns']];
    const tooMany = matching(...twenty, 'x');
    for (const condition of [tooMany, { ...THRESHOLD, ...tooMany, kind: 'threshold' }]) {
      expect(faultsOf(await rules.create({ condition }).expect(422))).toEqual(fault);
    }
  });

  it('has fields and values of at most 16,384 characters together', async () => {
    const parts = Array.from({ length: 17 }, () => ({ field: 'message', op: 'contains', value: 'x'.repeat(1_000) }));
    const sentence = 'Value error, the fields and values of a filter have at most 16384 characters together';
    const refused = await rules.create({ condition: { kind: 'match', any: parts } }).expect(422);
    expect(faultsOf(refused)).toEqual([['condition.any.16.value', sentence]]);
  });
});
