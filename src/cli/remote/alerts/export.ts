import { stringify } from 'yaml';
import type { ProjectState } from './project-state.js';
import {
  DEFAULTS,
  type Existing,
  isEqual,
  type Kind,
  KINDS,
  type Members,
  titleOf,
  WEBHOOK_DEFAULTS,
} from './things.js';

/**
 * Returns the content of a file for `apply`, in YAML or JSON. Members with their default value are left out, and
 * secrets are written as references.
 */
export function exported({ things }: ProjectState, asJson = false): string {
  const lists = KINDS.map((kind) => [kind, things.filter((each) => each.kind === kind).map(fileForm)] as const);
  const content = Object.fromEntries(lists);
  if (asJson) return `${JSON.stringify(content)}\n`;
  return stringify(content, { lineWidth: 120, aliasDuplicateObjects: false });
}

/** Returns a sentence for each name that several things of the project share. A file cannot describe such things. */
export function sharedNames({ things }: ProjectState): string[] {
  const ids = new Map<string, string[]>();
  for (const each of things) ids.set(titleOf(each), [...(ids.get(titleOf(each)) ?? []), each.id]);
  const shared = [...ids].filter(([, own]) => own.length > 1);
  return shared.map(([title, own]) => `The project has ${own.length} things called ${title}: ${own.join(', ')}`);
}

function fileForm(existing: Existing): Members {
  const { kind, name, members, hasSecret, headerNames = [] } = existing;
  const named = kind === 'silences' ? { reason: name } : { name };
  const rest = Object.entries(members).filter(([member, value]) => !isEqual(value, DEFAULTS[kind][member] ?? null));
  return {
    ...named,
    ...Object.fromEntries(rest.map(([member, value]) => [member, valueOf(kind, name, member, value)])),
    ...(hasSecret && { secret: reference(name, 'SECRET') }),
    ...(headerNames.length > 0 && {
      protected_headers: headerNames.map((header) => ({ name: header, value: reference(name, header) })),
    }),
  };
}

function valueOf(kind: Kind, name: string, member: string, value: unknown): unknown {
  // The service masks the URLs of Slack destinations. For roles below operator it masks all URLs.
  if (member === 'target_url' && String(value).endsWith('/***')) return reference(name, 'URL');
  if (kind !== 'channels' || member !== 'configuration') return value;
  const entries = Object.entries(value as Members);
  return Object.fromEntries(entries.filter(([key, own]) => !isEqual(own, WEBHOOK_DEFAULTS[key])));
}

/** Returns a reference whose secret name is built from the words, such as `{{secret:ON_CALL_AUTHORIZATION}}`. */
function reference(...words: readonly string[]): string {
  const name = words
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^[^A-Z]+|_+$/g, '');
  return `{{secret:${(name || 'VALUE').slice(0, 100)}}}`;
}
