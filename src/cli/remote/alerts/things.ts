/** The lists of a file, in the order in which they are applied: a rule refers to destinations and channels. */
export const KINDS = ['destinations', 'channels', 'rules', 'silences'] as const;

export type Kind = (typeof KINDS)[number];

export type Members = Readonly<Record<string, unknown>>;

/** A destination, channel, rule or silence as a file describes it, with every default filled in. */
export interface Thing {
  readonly kind: Kind;
  /** A silence has no name, so this is its reason. */
  readonly name: string;
  readonly members: Members;
}

/** A thing of a file. */
export interface Wanted extends Thing {
  /** File and line, for messages. */
  readonly place: string;
}

/** A thing of the project. Values that the API does not return are missing from its members. */
export interface Existing extends Thing {
  readonly id: string;
  readonly hasSecret?: boolean;
  readonly headerNames?: readonly string[];
  /** All recipients of the rule have been deleted, so it notifies nobody. */
  readonly notifiesNobody?: boolean;
}

export interface ProtectedHeader {
  readonly name: string;
  readonly value: string;
}

const WORD: Readonly<Record<Kind, string>> = {
  destinations: 'destination',
  channels: 'channel',
  rules: 'rule',
  silences: 'silence',
};

export function titleOf({ kind, name }: Pick<Thing, 'kind' | 'name'>): string {
  return `${WORD[kind]} ${JSON.stringify(name)}`;
}

/** The values that the service uses for members that are left out. */
export const DEFAULTS: Readonly<Record<Kind, Members>> = {
  destinations: { is_enabled: true, template: null },
  channels: { enabled: true, protected_headers: [] },
  rules: {
    is_enabled: true,
    severity: 'warning',
    group_by: [],
    for_seconds: 0,
    keep_firing_seconds: 0,
    cooldown_seconds: 300,
    destinations: [],
    channels: [],
  },
  silences: {},
};

/**
 * Members of rules that keep their values when a file leaves them out, so that a file from before these members existed
 * does not remove them. `--prune` removes them.
 */
export const KEPT_OF_RULES = ['runbook_url', 'notes'] as const;

export const WEBHOOK_DEFAULTS: Members = { method: 'POST', headers: {} };

const RETRY_DEFAULTS: Members = {
  strategy: 'exponential',
  base_delay_seconds: 60,
  max_delay_seconds: 900,
  max_attempts: 3,
};

/** Fills in the defaults of a channel's configuration. A retry policy that is left out stays out. */
export function wholeConfiguration(type: unknown, configuration: Members): Members {
  const { retry_policy: policy } = configuration as { retry_policy?: Members };
  return {
    ...(type === 'webhook' && WEBHOOK_DEFAULTS),
    ...configuration,
    ...(policy && { retry_policy: { ...RETRY_DEFAULTS, ...policy } }),
  };
}

const PLACEHOLDER = /\{\{secret:([A-Z][A-Z0-9_]*)\}\}/g;

/** Returns the names of the secrets that a text refers to. */
export function secretsIn(text: unknown): string[] {
  return typeof text === 'string' ? [...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '') : [];
}

/** Puts values in the place of `{{secret:NAME}}`. */
export function withSecrets(text: string, valueOf: (name: string) => string): string {
  return text.replace(PLACEHOLDER, (_, name: string) => valueOf(name));
}

/** Returns whether two JSON values are equal. The order of members does not count. */
export function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}

export function protectedHeadersOf({ members }: Thing): readonly ProtectedHeader[] {
  return (members.protected_headers ?? []) as readonly ProtectedHeader[];
}
