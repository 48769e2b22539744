import type { Wish } from './file.js';
import type { ProjectState } from './project-state.js';
import {
  type Existing,
  isEqual,
  KEPT_OF_RULES,
  KINDS,
  type Members,
  type ProtectedHeader,
  protectedHeadersOf,
  secretsIn,
  titleOf,
  type Wanted,
} from './things.js';

export interface PlanOptions {
  /** Also delete things, secrets, protected headers, runbooks and notes that the files do not have. */
  readonly prune?: boolean;
  /** Also send the values that the service never returns, which cannot be compared. */
  readonly rotateSecrets?: boolean;
}

export interface MemberChange {
  readonly member: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

export type Change =
  | { readonly action: 'create'; readonly wanted: Wanted }
  | {
      readonly action: 'update';
      readonly wanted: Wanted;
      readonly existing: Existing;
      readonly members: readonly MemberChange[];
    }
  | { readonly action: 'delete'; readonly existing: Existing };

export interface Plan {
  /**
   * The changes in the order in which they are applied. A thing is created before the things that refer to it.
   * Deletions come last, in the reverse order.
   */
  readonly changes: readonly Change[];
  readonly unchanged: number;
  readonly faults: readonly string[];
  readonly notes: readonly string[];
}

/** Numbers are compared by value, so that line 9 comes before line 10. */
const BY_LINE = new Intl.Collator('en', { numeric: true });

/** Compares the files with the project. With faults there are no changes. */
export function planOf(wish: Wish, state: ProjectState, options: PlanOptions, now = Date.now()): Plan {
  const ended = wish.things.filter((each) => hasEnded(each, now));
  const things = wish.things.filter((each) => !hasEnded(each, now));
  const notes = [...state.notes, ...ended.map((each) => `${each.place}: ${titleOf(each)} has ended.`)];
  const deletions = options.prune ? faultsOfDeletions(wish, state) : [];
  const faults = [...wish.faults, ...faultsOf(wish, things, state, options), ...deletions].sort(BY_LINE.compare);
  if (faults.length > 0) return { changes: [], unchanged: 0, faults, notes };

  const changes: Change[] = [];
  for (const wanted of KINDS.flatMap((kind) => things.filter((each) => each.kind === kind))) {
    const existing = state.things.find((each) => isSame(each, wanted));
    if (existing === undefined) changes.push({ action: 'create', wanted });
    else {
      const members = [...differences(wanted, existing, options)];
      if (members.length > 0) changes.push({ action: 'update', wanted, existing, members });
    }
  }
  const unchanged = things.length - changes.length;
  const isKept = (existing: Existing): boolean => things.some((wanted) => isSame(existing, wanted));
  const surplus = [...state.things].reverse().filter((each) => wish.kinds.has(each.kind) && !isKept(each));
  if (options.prune) changes.push(...surplus.map((existing): Change => ({ action: 'delete', existing })));
  return { changes, unchanged, faults, notes };
}

function hasEnded({ kind, members }: Wanted, now: number): boolean {
  return kind === 'silences' && Date.parse(String(members.ends_at)) <= now;
}

function isSame(existing: Existing, { kind, name }: Pick<Wanted, 'kind' | 'name'>): boolean {
  return existing.kind === kind && existing.name === name;
}

/** Returns the parameters of a template, in which the service puts the values of secrets. */
function templateTexts({ kind, members }: Wanted): unknown[] {
  const holder = kind === 'channels' ? (members.configuration as Members) : members;
  const { parameters = {} } = (holder.template ?? {}) as { readonly parameters?: Members };
  return Object.values(parameters);
}

/**
 * Returns the faults of deletions. A destination or channel must not be deleted while a rule that the files do not list
 * uses it.
 */
function* faultsOfDeletions(wish: Wish, state: ProjectState): Generator<string> {
  if (wish.kinds.has('rules')) return;
  for (const kind of ['destinations', 'channels'] as const) {
    if (!wish.kinds.has(kind)) continue;
    for (const rule of state.things.filter((each) => each.kind === 'rules')) {
      for (const name of rule.members[kind] as readonly string[]) {
        if (wish.names[kind].has(name)) continue;
        yield `${titleOf({ kind, name })} would be deleted, but ${titleOf(rule)} notifies it: list the rules too`;
      }
    }
  }
}

/** Returns the faults that are found only with the project's state. */
function* faultsOf(
  wish: Wish,
  things: readonly Wanted[],
  state: ProjectState,
  options: PlanOptions,
): Generator<string> {
  for (const wanted of things) {
    const { place, members } = wanted;
    const same = state.things.filter((each) => isSame(each, wanted));
    if (same.length > 1) yield `${place}: the project has ${same.length} things called ${titleOf(wanted)}: rename one`;
    if (members.type !== undefined && same[0] !== undefined && same[0].members.type !== members.type) {
      yield `${place}: the type of ${titleOf(wanted)} cannot be changed: choose another name`;
    }
    const referring = [...sentHeaders(wanted, same[0], options).map(({ value }) => value), ...templateTexts(wanted)];
    for (const name of new Set(referring.flatMap(secretsIn))) {
      if (!state.secrets.has(name)) yield `${place}: ${titleOf(wanted)}: the project has no secret ${name}`;
    }
    if (wanted.kind !== 'rules') continue;
    for (const kind of ['destinations', 'channels'] as const) {
      for (const name of members[kind] as readonly string[]) {
        const staying =
          options.prune && wish.kinds.has(kind) ? [] : state.things.filter((each) => isSame(each, { kind, name }));
        if (staying.length === 0 && !wish.names[kind].has(name)) {
          yield `${place}: ${titleOf(wanted)}: there is no ${titleOf({ kind, name })}`;
        } else if (staying.length > 1 && !wish.names[kind].has(name)) {
          yield `${place}: ${titleOf(wanted)}: the project has ${staying.length} things called ${titleOf({ kind, name })}`;
        }
      }
    }
  }
}

const SECRET = '(secret)';

/** Returns the members that an update has to send. */
function* differences(wanted: Wanted, existing: Existing, options: PlanOptions): Generator<MemberChange> {
  for (const [member, to] of Object.entries(wanted.members)) {
    if (member === 'secret' || member === 'protected_headers') continue;
    const from = existing.members[member];
    if (member === 'target_url' && secretsIn(to).length > 0) {
      if (options.rotateSecrets) yield { member, from: SECRET, to };
    } else if (!isEqual(normal(member, from), normal(member, to))) yield { member, from, to };
  }
  if (wanted.kind === 'destinations') yield* secretChanges(wanted, existing, options);
  if (wanted.kind === 'channels') yield* headerChanges(wanted, existing, options);
  if (wanted.kind === 'rules' && options.prune) yield* removals(wanted, existing);
  const recipients = [wanted.members.destinations, wanted.members.channels].flat();
  if (existing.notifiesNobody && recipients.length === 0)
    yield { member: 'recipients', from: 'nobody', to: 'every webhook' };
}

/** Converts a value to one form, so that equal values with different spellings are equal. */
function normal(member: string, value: unknown): unknown {
  if (member === 'configuration') {
    return Object.fromEntries(Object.entries(value as Members).map(([name, own]) => [name, normal(name, own)]));
  }
  // The order of recipients has no meaning to the service.
  if (member === 'destinations' || member === 'channels') return [...(value as readonly string[])].sort();
  if (typeof value !== 'string') return value;
  if (member === 'starts_at' || member === 'ends_at') return Date.parse(value);
  if ((member === 'target_url' || member === 'url') && URL.canParse(value)) return new URL(value).href;
  return value;
}

function* secretChanges({ members }: Wanted, { hasSecret }: Existing, options: PlanOptions): Generator<MemberChange> {
  const { secret } = members;
  if (secret !== undefined) {
    if (!hasSecret || options.rotateSecrets) yield { member: 'secret', from: hasSecret ? SECRET : null, to: secret };
  } else if (hasSecret && options.prune) yield { member: 'secret', from: SECRET, to: null };
}

function* removals(wanted: Wanted, existing: Existing): Generator<MemberChange> {
  for (const member of KEPT_OF_RULES) {
    const from = existing.members[member] ?? null;
    if (wanted.members[member] === undefined && from !== null) yield { member, from, to: null };
  }
}

function* headerChanges(wanted: Wanted, existing: Existing, options: PlanOptions): Generator<MemberChange> {
  for (const { name, value } of sentHeaders(wanted, existing, options)) {
    yield { member: `protected_headers.${name}`, from: hasHeader(existing, name) ? SECRET : null, to: value };
  }
  const kept = new Set(protectedHeadersOf(wanted).map(({ name }) => name.toLowerCase()));
  for (const name of existing.headerNames ?? []) {
    if (options.prune && !kept.has(name.toLowerCase())) {
      yield { member: `protected_headers.${name}`, from: SECRET, to: null };
    }
  }
}

/** Returns the protected headers whose values are sent: new ones, and with `rotateSecrets` all of them. */
function sentHeaders(wanted: Wanted, existing: Existing | undefined, options: PlanOptions): readonly ProtectedHeader[] {
  const headers = protectedHeadersOf(wanted);
  return options.rotateSecrets ? headers : headers.filter(({ name }) => !hasHeader(existing, name));
}

/** Names of headers are compared without regard to case. */
function hasHeader(existing: Existing | undefined, name: string): boolean {
  return (existing?.headerNames ?? []).some((each) => each.toLowerCase() === name.toLowerCase());
}

/** Returns the names of the secrets whose values the command itself has to send, with the place that needs them. */
export function neededSecrets({ changes }: Plan): { readonly name: string; readonly place: string }[] {
  return changes.flatMap((change) => {
    if (change.action === 'delete' || change.wanted.kind !== 'destinations') return [];
    const { wanted } = change;
    const sent =
      change.action === 'create'
        ? [wanted.members.target_url, wanted.members.secret]
        : change.members.map(({ to }) => to);
    return sent.flatMap(secretsIn).map((name) => ({ name, place: wanted.place }));
  });
}
