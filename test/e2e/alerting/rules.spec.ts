import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { PatternTrialsRepository } from '../../../src/modules/events/conditions/pattern-trials.repository.js';
import { newId } from '../../../src/platform/ids/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertClient, alertsOf } from '../../support/alerts.js';
import { createTestApp, PATIENT_PATTERNS, type TestApp } from '../../support/app.js';
import { deliveryOf, type Json } from '../../support/delivery.js';
import { eventIs, type RuleClient, RULES_ENV, rulesOf } from '../../support/rules.js';

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
const CHANGE = {
  kind: 'rate_of_change',
  window_seconds: 300,
  compare_seconds: 3_600,
  aggregate: 'count',
  direction: 'up',
  percent: 50,
};

/** Where a request is at fault, below the body, and why. */
const faultsOf = (answer: Response): [string, string][] =>
  answer.body.detail.map(({ loc, msg }: Json) => [loc.slice(1).join('.'), msg]);

describe('alert rules', () => {
  let app: TestApp;
  let owner: Owner;
  let rules: RuleClient;
  let alerts: AlertClient;

  beforeAll(async () => {
    app = await createTestApp({ env: RULES_ENV });
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    rules = rulesOf(app, owner);
    alerts = alertsOf(app, owner);
  });
  afterAll(() => app.close());

  const channel = async (of: Owner = owner): Promise<string> => deliveryOf(app, of).webhook(HOOK);
  const audits = (): Promise<Json[]> =>
    app.rows(
      `SELECT action, target_id, detail FROM audit_events
       WHERE project_id = $1 AND target_type = 'alert_rule' ORDER BY created_at`,
      [owner.projectId],
    );
  const isWatched = async (): Promise<boolean> =>
    (await app.rows('SELECT FROM event_watches WHERE project_id = $1', [owner.projectId])).length > 0;
  /** Everything that refused requests must leave alone. */
  const stored = (): Promise<unknown> =>
    Promise.all(
      ['alert_rules', 'alert_rule_destinations', 'alert_rule_channels', 'alert_rule_series', 'event_watches'].map(
        (name) => app.rows(`SELECT * FROM ${name} t ORDER BY t::text`),
      ),
    );

  it('are refused with what was sent, also where it is called a value', async () => {
    const condition = { ...THRESHOLD, all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] };
    const refused = await rules.create({ name: undefined, condition });
    expect(refused.body.detail[0]).toMatchObject({ loc: ['body', 'name'], input: { condition } });
  });

  it('are made with defaults, shown, listed newest first and deleted', async () => {
    const condition = { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] };
    const created = await rules.create({ condition });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.any(String),
        project_id: owner.projectId,
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
        state: 'inactive',
        last_error: null,
        last_error_at: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ]);
    const { id } = created.body as { id: string };
    const second = await rules.rule({ name: 'Second', is_enabled: false, severity: 'critical' });
    expect(await rules.get(id)).toEqual(created.body);
    expect((await rules.list()).map((rule) => [rule.id, rule.is_enabled])).toEqual([
      [second, false],
      [id, true],
    ]);
    expect((await rules.remove(id)).status).toBe(204);
    expect(await rules.get(id)).toEqual({ detail: 'Alert rule not found' });
    expect((await rules.list()).map((rule) => rule.id)).toEqual([second]);
    expect((await audits()).map(({ action, target_id: of }) => [action, of])).toEqual([
      ['alert_rule.created', id],
      ['alert_rule.created', second],
      ['alert_rule.deleted', id],
    ]);
  });

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
  ])('give a condition of %s back as it was written', async (_, condition) => {
    const created = await rules.create({ condition });
    expect(created.status).toBe(201);
    expect(created.body.condition).toEqual(JSON.parse(JSON.stringify(condition)));
  });

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
      { destination_ids: Array.from({ length: 21 }, newId) },
      'destination_ids',
      'List should have at most 20 items after validation, not 21',
    ],
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
  ])('refuse %j at %s', async (change, place, reason) => {
    const before = await stored();
    const refused = await rules.create(change);
    expect([refused.status, faultsOf(refused)]).toEqual([422, [[place, reason]]]);
    expect(await stored()).toEqual(before);
  });

  it('tell every fault of a request at once', async () => {
    const refused = await rules.create({
      name: 7,
      condition: { ...THRESHOLD, op: 'is', value: [], all: [{ field: 'event', op: 'eq', value: 1 }] },
    });
    expect(faultsOf(refused).map(([place]) => place)).toEqual([
      'name',
      'condition.all.0.value',
      'condition.op',
      'condition.value',
    ]);
  });

  it('are changed field by field', async () => {
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
    let expected = before as Record<string, unknown>;
    for (const [name, value] of Object.entries(changes)) {
      const changed = await rules.patch(id, { [name]: value });
      expected = { ...expected, [name]: value, updated_at: expect.any(String) };
      if (name === 'destination_ids') expected['notifies'] = 'linked';
      expect([changed.status, changed.body]).toEqual([200, expected]);
      expect(await rules.get(id)).toEqual(changed.body);
    }
    expect((await rules.get(id)).updated_at > before.updated_at).toBe(true);
    expect((await rules.patch(id, {})).body).toMatchObject(changes);
    expect((await audits()).slice(1).map(({ detail }) => detail.fields)).toEqual([
      ...Object.keys(changes).map((name) => [name]),
      [],
    ]);
    for (const name of Object.keys(changes)) {
      expect([name, (await rules.patch(id, { [name]: null })).status]).toEqual([name, 422]);
    }
    expect(await rules.get(id)).toMatchObject(changes);
  });

  it('have the events of a project followed while an enabled rule waits for them, and no longer', async () => {
    expect(await isWatched()).toBe(false);
    const windowed = await rules.rule({ condition: CHANGE });
    expect(await isWatched()).toBe(false);
    const id = await rules.rule({ is_enabled: false });
    expect(await isWatched()).toBe(false);
    await rules.patch(id, { is_enabled: true });
    expect(await isWatched()).toBe(true);
    await rules.patch(id, { is_enabled: false });
    expect(await isWatched()).toBe(false);
    await rules.patch(windowed, { condition: { kind: 'match' } });
    expect(await isWatched()).toBe(true);
    const other = await rules.rule();
    await rules.remove(windowed);
    expect(await isWatched()).toBe(true);
    await rules.patch(other, { condition: THRESHOLD });
    expect(await isWatched()).toBe(false);
  });

  it('agree with what is followed when people change them at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => rules.rule()));
    await Promise.all(ids.map((id, at) => (at % 2 === 0 ? rules.remove(id) : rules.patch(id, { is_enabled: false }))));
    expect(await isWatched()).toBe(false);
    const [last] = await Promise.all([rules.rule(), rules.remove(ids[1] ?? '')]);
    expect(await isWatched()).toBe(true);
    await Promise.all([rules.remove(last), rules.remove(last), rules.patch(last, { name: 'Late' })]);
    expect(await isWatched()).toBe(false);
  });

  it('begin anew when they are switched, regrouped or become of another kind, and else go on', async () => {
    const id = await rules.rule({ condition: THRESHOLD });
    const state = async (change?: object): Promise<string> => {
      await app.rows(
        `INSERT INTO alert_rule_series (rule_id, fingerprint, group_values, state, since, breached_at)
         VALUES ($1, 'f', '{}', 'firing', now(), now()) ON CONFLICT DO NOTHING`,
        [id],
      );
      if (change !== undefined) expect((await rules.patch(id, change)).status).toBe(200);
      return (await rules.get(id)).state as string;
    };
    expect(await state()).toBe('firing');
    expect(await state({ name: 'Other', condition: { ...THRESHOLD, value: 11 } })).toBe('firing');
    expect(await state({ for_seconds: 60, group_by: [] })).toBe('firing');
    expect(await state({ group_by: ['source'] })).toBe('inactive');
    expect(await state({ condition: CHANGE })).toBe('inactive');
    expect(await state({ is_enabled: false })).toBe('inactive');
  });

  it('link destinations and channels of their project, in the order given, and both lists are replaced', async () => {
    const [first, second] = [await alerts.destination(HOOK), await alerts.destination(HOOK)];
    const [one, two] = [await channel(), await channel()];
    const id = await rules.rule({ destination_ids: [second, first], channel_ids: [two, one] });
    expect(await rules.get(id)).toMatchObject({ destination_ids: [second, first], channel_ids: [two, one] });
    const before = await rules.get(id);
    const replaced = await rules.link(id, { destination_ids: [first] });
    expect([replaced.status, replaced.body]).toEqual([
      200,
      { ...before, destination_ids: [first], channel_ids: [], updated_at: expect.any(String) },
    ]);
    expect((await rules.patch(id, { channel_ids: [one] })).body).toMatchObject({
      destination_ids: [first],
      channel_ids: [one],
    });
    expect((await rules.link(id, {})).body).toMatchObject({ destination_ids: [], channel_ids: [] });
    const bare = await rules.send('put', `/v1/alert-rules/${id}/destinations`);
    expect(bare.status).toBe(200);
    expect((await audits()).map(({ action }) => action)).toEqual([
      'alert_rule.created',
      'alert_rule.destinations_replaced',
      'alert_rule.updated',
      'alert_rule.destinations_replaced',
      'alert_rule.destinations_replaced',
    ]);
  });

  it('lose the links to what is deleted, and tell nobody rather than everybody when it was the last', async () => {
    const [first, second] = [await alerts.destination(HOOK), await alerts.destination(HOOK)];
    const one = await channel();
    const id = await rules.rule({ destination_ids: [first, second], channel_ids: [one] });
    await alerts.send('delete', `/v1/alert-destinations/${first}`);
    await app.rows('DELETE FROM delivery_channels WHERE id = $1', [one]);
    expect(await rules.get(id)).toMatchObject({ destination_ids: [second], channel_ids: [], notifies: 'linked' });
    await alerts.send('delete', `/v1/alert-destinations/${second}`);
    expect(await rules.get(id)).toMatchObject({ destination_ids: [], channel_ids: [], notifies: 'nobody' });
    expect((await rules.patch(id, { name: 'Still nobody' })).body.notifies).toBe('nobody');
    const wide = { destination_ids: [], channel_ids: [], notifies: 'all_webhooks' };
    expect((await rules.patch(id, { destination_ids: [], channel_ids: [] })).body).toMatchObject(wide);
  });

  describe('with patterns', () => {
    const matching = (...patterns: string[]): object => ({
      kind: 'match',
      any: patterns.map((value) => ({ field: 'message', op: 'matches', value })),
    });
    /** The place below the condition, and the sentence, of the only fault. */
    const refused = (answer: Response): unknown => [answer.status, faultsOf(answer)];
    const unusable = (place: number, sentence: unknown): unknown => [422, [[`condition.any.${place}.value`, sentence]]];

    it.each<[string, unknown]>([
      // Which of both comes first depends on the machine.
      ['(^|a|$){60}x', expect.stringMatching(/: PostgreSQL (refuses it as too complex|takes too long for it)$/)],
      ['(?:(^|a)*(b|$)*){20}x', 'Value error, the pattern cannot be used: PostgreSQL takes too long for it'],
      ['a.{99}.{99}.{99}.{99}.{60}c', 'Value error, the pattern cannot be used: the pattern is too large; repeat less'],
      [
        '((((){100}){100}){100}){100}',
        'Value error, the pattern cannot be used: the pattern is too large; repeat less',
      ],
    ])('that nobody could be served beside are refused: %s', async (pattern, sentence) => {
      const id = await rules.rule();
      const before = await stored();
      const fault = unusable(1, sentence);
      const trials = app.nest.get(PatternTrialsRepository, { strict: false });
      trials.limits = { ...PATIENT_PATTERNS, patternMs: 2_000 };
      try {
        expect(refused(await rules.create({ condition: matching('fine', pattern) }))).toEqual(fault);
        expect(refused(await rules.patch(id, { condition: matching('fine', pattern) }))).toEqual(fault);
        expect(await stored()).toEqual(before);
      } finally {
        trials.limits = PATIENT_PATTERNS;
      }
    });

    it('are 20 at most, wherever they stand', async () => {
      const twenty = Array.from({ length: 20 }, (_, index) => `(?i)^worker ${index}: .*timed? out$`);
      expect((await rules.create({ condition: matching(...twenty) })).status).toBe(201);
      const more = await rules.create({ condition: matching(...twenty, 'x') });
      expect(refused(more)).toEqual(unusable(20, 'Value error, a filter has at most 20 patterns'));
      const windows = await rules.create({
        condition: { ...THRESHOLD, ...matching(...twenty, 'x'), kind: 'threshold' },
      });
      expect(refused(windows)).toEqual(unusable(20, 'Value error, a filter has at most 20 patterns'));
    });

    it('and all else that they hold are bounded in size', async () => {
      const parts = Array.from({ length: 17 }, () => ({ field: 'message', op: 'contains', value: 'x'.repeat(1_000) }));
      const sentence = 'Value error, the fields and values of a filter have at most 16384 characters together';
      const answer = await rules.create({ condition: { kind: 'match', any: parts } });
      expect(refused(answer)).toEqual([422, [['condition.any.16.value', sentence]]]);
    });
  });

  it('link nothing of another project, and do not tell whether it exists', async () => {
    const stranger = await ownerWithProject(app);
    const mine = await alerts.destination(HOOK);
    const theirs = await alertsOf(app, stranger).destination(HOOK);
    const [theirChannel, nobodys] = [await channel(stranger), newId()];
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
    for (const answer of [await rules.create(refused), await rules.patch(id, refused), await rules.link(id, refused)]) {
      expect([answer.status, faultsOf(answer)]).toEqual([422, faults]);
    }
    const twice = await rules.link(id, { destination_ids: [mine, mine.toUpperCase()] });
    expect([twice.status, faultsOf(twice)]).toEqual([422, [['destination_ids', 'Value error, each is named once']]]);
    expect(await stored()).toEqual(before);
  });

  it('are found by nobody who does not belong to their project', async () => {
    const stranger = await ownerWithProject(app);
    const id = await rules.rule();
    const theirs = rulesOf(app, stranger);
    const before = await stored();
    const calls = (client: RuleClient, of: string): Promise<Response[]> =>
      Promise.all([
        client.send('get', `/v1/alert-rules/${of}`),
        client.patch(of, { name: 'Mine' }),
        client.link(of, {}),
        client.backtest(of),
        client.remove(of),
      ]);
    for (const answer of [...(await calls(theirs, id)), ...(await calls(rules, newId()))]) {
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Alert rule not found' }]);
    }
    for (const answer of await calls(rules, 'no-id')) {
      expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['path', 'rule_id']]);
    }
    const elsewhere = new (rules.constructor as typeof RuleClient)(app, stranger, owner.projectId);
    expect((await elsewhere.create()).body).toEqual({ detail: 'Not a project member' });
    expect((await elsewhere.send('get', `/v1/alert-rules?project_id=${owner.projectId}`)).status).toBe(403);
    const nowhere = await rules.send('post', '/v1/alert-rules', { name: 'x', condition: { kind: 'match' } });
    expect([nowhere.status, faultsOf(nowhere)]).toEqual([422, [['project_id', 'Field required']]]);
    expect(await stored()).toEqual(before);
    expect(await theirs.list()).toEqual([]);
  });

  it('are read by viewers, and changed and tried out by operators', async () => {
    const id = await rules.rule();
    const before = await stored();
    for (const role of ['viewer', 'member']) {
      const reader = rules.as(await addMember(app, owner, role));
      expect((await reader.list()).map((rule) => rule.id)).toEqual([id]);
      expect(await reader.get(id)).toEqual(await rules.get(id));
      for (const answer of [
        await reader.create(),
        await reader.patch(id, { name: 'Mine' }),
        await reader.link(id, {}),
        await reader.backtest(id),
        await reader.remove(id),
      ]) {
        expect([role, answer.status, answer.body]).toEqual([role, 403, { detail: 'Insufficient project role' }]);
      }
    }
    expect(await stored()).toEqual(before);
    const operator = rules.as(await addMember(app, owner, 'operator'));
    const own = await operator.rule();
    expect((await operator.patch(own, { name: 'Ours' })).status).toBe(200);
    expect((await operator.link(own, {})).status).toBe(200);
    expect((await operator.backtest(own)).status).toBe(200);
    expect((await operator.remove(own)).status).toBe(204);
  });

  it('are 200 at most, however many people make them at once', async () => {
    await app.rows(
      `INSERT INTO alert_rules (id, project_id, name, is_enabled, severity, kind, condition, group_by, for_seconds,
                                keep_firing_seconds, cooldown_seconds)
       SELECT gen_random_uuid(), $1, 'Rule ' || n, false, 'info', 'match', '{"kind": "match"}', '{}', 0, 0, 0
       FROM generate_series(1, 197) n`,
      [owner.projectId],
    );
    const answers = await Promise.all(Array.from({ length: 8 }, () => rules.create()));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 5 }, () => [409, { detail: 'Project has too many alert rules' }]),
    );
    expect(await rules.list()).toHaveLength(200);
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
  ])('refuse a back-test of %j at %s', async (window, place, reason) => {
    const refused = await rules.backtest(await rules.rule(), window);
    expect([refused.status, faultsOf(refused)]).toEqual([422, [[place, reason]]]);
  });
});
