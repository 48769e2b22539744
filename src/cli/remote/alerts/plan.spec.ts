import { describe, expect, it } from '@jest/globals';
import { WishReader } from './file.js';
import { neededSecrets, planOf, type PlanOptions } from './plan.js';
import type { ProjectState } from './project-state.js';
import { DEFAULTS, type Existing, titleOf } from './things.js';

const NOW = Date.parse('2026-06-01T00:00:00Z');

const HOOK: Existing = {
  kind: 'destinations',
  id: 'd1',
  name: 'Hook',
  members: { type: 'webhook', target_url: 'https://a.example.com/', is_enabled: true, template: null },
  hasSecret: true,
};
const SLACK: Existing = {
  kind: 'destinations',
  id: 'd2',
  name: 'Chat',
  members: { type: 'slack', target_url: 'https://hooks.slack.com/***', is_enabled: true, template: null },
  hasSecret: false,
};
const PAGER: Existing = {
  kind: 'channels',
  id: 'c1',
  name: 'Pager',
  members: {
    type: 'webhook',
    enabled: true,
    configuration: { url: 'https://p.example.com', method: 'POST', headers: {} },
  },
  headerNames: ['Authorization'],
};
const RULE: Existing = {
  kind: 'rules',
  id: 'r1',
  name: 'Rule',
  members: { ...DEFAULTS.rules, condition: { kind: 'match', not: { field: 'event', op: 'eq', value: 'x' } } },
};
const SILENCE: Existing = {
  kind: 'silences',
  id: 's1',
  name: 'Move',
  members: {
    filter: { field: 'event', op: 'eq', value: 'x' },
    starts_at: '2026-05-01T00:00:00.000Z',
    ends_at: '2026-07-01T00:00:00.000Z',
  },
};

const FILES = {
  hook: 'destinations: [{ name: Hook, type: webhook, target_url: https://a.example.com, secret: "{{secret:HOOK}}" }]',
  chat: 'destinations: [{ name: Chat, type: slack, target_url: "{{secret:CHAT}}" }]',
  pager: `channels:
    - name: Pager
      type: webhook
      configuration: { url: https://p.example.com }
      protected_headers: [{ name: authorization, value: "Bearer {{secret:PAGER}}" }]`,
  rule: 'rules: [{ name: Rule, condition: { not: { value: x, op: eq, field: event }, kind: match } }]',
  silence: `silences:
    - { reason: Move, filter: { field: event, op: eq, value: x }, ends_at: 2026-07-01T02:00:00+02:00 }`,
};

function plan(text: string, things: readonly Existing[], options: PlanOptions = {}) {
  const wish = new WishReader();
  wish.read('f', text);
  const state: ProjectState = { things, secrets: new Set(['PAGER']), notes: [] };
  return planOf(wish, state, options, NOW);
}

/** Returns each change as a line: action, thing and changed members. */
function changes(...words: Parameters<typeof plan>): string[] {
  return plan(...words).changes.map((change) => {
    const members = change.action === 'update' ? change.members.map(({ member }) => member) : [];
    const thing = change.action === 'delete' ? change.existing : change.wanted;
    return [change.action, titleOf(thing), ...members].join(' ');
  });
}

describe('The plan of changes', () => {
  it.each<[string, string, Existing]>([
    ['an address in another spelling, and a secret that cannot be compared', FILES.hook, HOOK],
    ['a masked address', FILES.chat, SLACK],
    ['the name of a protected header in another case', FILES.pager, PAGER],
    ['defaults, and members in another order', FILES.rule, RULE],
    ['a time in another zone, and a start that is left out', FILES.silence, SILENCE],
  ])('finds no difference in %s', (_, text, existing) => {
    expect(plan(text, [existing], { prune: true })).toEqual({ changes: [], unchanged: 1, faults: [], notes: [] });
  });

  it('sends the values that cannot be compared again only when it is asked to', () => {
    const options = { rotateSecrets: true };
    expect(changes(FILES.hook, [HOOK], options)).toEqual(['update destination "Hook" secret']);
    expect(changes(FILES.chat, [SLACK], options)).toEqual(['update destination "Chat" target_url']);
    expect(changes(FILES.pager, [PAGER], options)).toEqual(['update channel "Pager" protected_headers.authorization']);
    expect(neededSecrets(plan(FILES.chat, [SLACK], options))).toEqual([{ name: 'CHAT', place: 'f:1' }]);
    expect(neededSecrets(plan(FILES.chat, []))).toEqual([{ name: 'CHAT', place: 'f:1' }]);
    expect(neededSecrets(plan(FILES.pager, []))).toEqual([]);
  });

  it('adds a secret that is missing, and removes one only with --prune', () => {
    expect(changes(FILES.hook, [{ ...HOOK, hasSecret: false }])).toEqual(['update destination "Hook" secret']);
    const without = FILES.hook.replace(/, secret: .*\}"/, '');
    expect(changes(without, [HOOK])).toEqual([]);
    expect(changes(without, [HOOK], { prune: true })).toEqual(['update destination "Hook" secret']);
    const two: Existing = { ...PAGER, headerNames: ['Authorization', 'X-Old'] };
    expect(changes(FILES.pager, [two])).toEqual([]);
    expect(changes(FILES.pager, [two], { prune: true })).toEqual(['update channel "Pager" protected_headers.X-Old']);
  });

  it('deletes last and in reverse, and only kinds that the file lists', () => {
    const things = [HOOK, PAGER, RULE, SILENCE];
    expect(
      changes('destinations: []\nchannels: []\nrules: [{ name: New, condition: { kind: match } }]', things),
    ).toEqual(['create rule "New"']);
    expect(
      changes('destinations: []\nchannels: []\nrules: [{ name: New, condition: { kind: match } }]', things, {
        prune: true,
      }),
    ).toEqual(['create rule "New"', 'delete rule "Rule"', 'delete channel "Pager"', 'delete destination "Hook"']);
  });

  it('keeps the runbook and the notes of a rule when they are left out, and removes them by null or --prune', () => {
    const texts = { runbook_url: 'https://wiki.example.com', notes: 'Call the bank.' };
    const rule: Existing = { ...RULE, members: { ...RULE.members, ...texts } };
    const none: Existing = { ...RULE, members: { ...RULE.members, runbook_url: null, notes: null } };
    expect(changes(FILES.rule, [rule])).toEqual([]);
    expect(changes(FILES.rule, [rule], { prune: true })).toEqual(['update rule "Rule" runbook_url notes']);
    expect(changes(FILES.rule, [none], { prune: true })).toEqual([]);
    const without = FILES.rule.replace('name: Rule', 'name: Rule, notes: null, runbook_url: null');
    expect(changes(without, [rule])).toEqual(['update rule "Rule" runbook_url notes']);
    expect(changes(without, [none])).toEqual([]);
  });

  it('makes a rule that notifies nobody notify every webhook', () => {
    expect(changes(FILES.rule, [{ ...RULE, notifiesNobody: true }])).toEqual(['update rule "Rule" recipients']);
  });

  it('ignores a silence that has ended', () => {
    const ended = FILES.silence.replace('2026-07', '2026-05');
    expect(plan(ended, [])).toMatchObject({ changes: [], notes: ['f:2: silence "Move" has ended.'] });
    expect(changes(ended, [SILENCE], { prune: true })).toEqual(['delete silence "Move"']);
  });

  it.each<[string, string, readonly Existing[], PlanOptions, string]>([
    ['a name that two things of the project have', FILES.rule, [RULE, { ...RULE, id: 'r2' }], {}, 'the project has 2'],
    ['another type', FILES.hook, [{ ...SLACK, name: 'Hook' }], {}, 'the type of destination "Hook" cannot be changed'],
    [
      'a secret that the project lacks',
      FILES.pager.replace('PAGER', 'OTHER'),
      [],
      {},
      'the project has no secret OTHER',
    ],
    ['a reference to nothing', linked('A'), [HOOK], {}, 'there is no destination "A"'],
    [
      'a reference to what is deleted',
      `destinations: []\n${linked('Hook')}`,
      [HOOK],
      { prune: true },
      'there is no destination',
    ],
    [
      'a deletion of what a rule outside of the file notifies',
      'destinations: []',
      [HOOK, { ...RULE, members: { ...RULE.members, destinations: ['Hook'] } }],
      { prune: true },
      'destination "Hook" would be deleted, but rule "Rule" notifies it',
    ],
    [
      'a secret of a template that the project lacks',
      'destinations: [{ name: Chat, type: webhook, target_url: https://a.example.com, template: { preset: telegram, parameters: { chat_id: "{{secret:CHAT}}" } } }]',
      [],
      {},
      'the project has no secret CHAT',
    ],
    ['a list without an item', 'rules:', [], {}, 'rules must be a list'],
    ['an alias without an anchor', 'rules: [*nothing]', [], {}, 'nothing'],
    ['a repeated member', 'rules: []\nrules: []', [], {}, 'unique'],
    ['text that is no YAML', 'rules: [', [], {}, 'f:1'],
  ])('has no changes but a fault for %s', (_, text, things, options, fault) => {
    const { changes: made, faults } = plan(text, things, options);
    expect({ made, faults }).toEqual({ made: [], faults: [expect.stringContaining(fault)] });
  });

  it('lets a rule refer to what the project has and the file does not list', () => {
    expect(changes(linked('Hook'), [HOOK])).toEqual(['create rule "Linked"']);
  });
});

function linked(destination: string): string {
  return `rules: [{ name: Linked, condition: { kind: match }, destinations: [${destination}] }]`;
}
