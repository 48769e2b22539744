import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { SCHEMAS } from './schema.js';
import type { Kind } from './things.js';

interface ApiSchema {
  readonly properties: Readonly<Record<string, unknown>>;
}

const { components } = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8')) as {
  components: { schemas: Readonly<Record<string, ApiSchema>> };
};

/** The names in files that differ from those of the API. */
const RENAMED: Readonly<Record<string, string>> = { destination_ids: 'destinations', channel_ids: 'channels' };

/** Members of requests that are only used for previews and that rules do not have. */
const OF_PREVIEWS = ['preview', 'from_ts', 'to_ts'];

/** Returns the members of the API's schema that the file format does not know. */
function missing(kind: Kind, schema: string, wrap: (members: object) => object): string[] {
  const names = Object.keys(components.schemas[schema]!.properties).filter(
    (name) => name !== 'project_id' && !OF_PREVIEWS.includes(name),
  );
  return names.filter((name) => {
    const { error } = SCHEMAS[kind].safeParse(wrap({ [RENAMED[name] ?? name]: {} }));
    return error!.issues.some((issue) => issue.code === 'unrecognized_keys');
  });
}

describe('The format of files', () => {
  it.each<[string, Kind, (members: object) => object]>([
    ['CreateAlertRuleRequest', 'rules', (members) => members],
    ['CreateDestinationRequest', 'destinations', (members) => members],
    ['CreateWebhookChannelRequest', 'channels', (members) => ({ ...members, type: 'webhook' })],
    ['WebhookConfiguration', 'channels', (configuration) => ({ type: 'webhook', configuration })],
    ['EmailConfiguration', 'channels', (configuration) => ({ type: 'email', configuration })],
    ['RetryPolicyConfiguration', 'channels', (policy) => ({ type: 'email', configuration: { retry_policy: policy } })],
    ['CreateSilenceRequest', 'silences', (members) => members],
  ])('has every member of %s, so that a new one is added here too', (schema, kind, wrap) => {
    expect(missing(kind, schema, wrap)).toEqual([]);
  });

  it.each([
    ['a kind that does not exist', { kind: 'often' }],
    ['a member of another kind', { kind: 'match', window_seconds: 60 }],
    ['an empty group', { kind: 'match', not: {} }],
    ['an empty list', { kind: 'match', all: [] }],
    ['a comparison without operator', { kind: 'match', not: { field: 'event' } }],
    ['a comparison that is a group too', { kind: 'match', not: { field: 'event', op: 'eq', all: [] } }],
    ['nesting without end', { kind: 'match', not: nested(1_000) }],
    ['text', 'match'],
  ])('refuses conditions with %s', (_, condition) => {
    expect(SCHEMAS.rules.safeParse({ name: 'One', condition }).success).toBe(false);
  });
});

function nested(depth: number): object {
  let filter: object = { field: 'event', op: 'exists', value: true };
  for (let level = 0; level < depth; level++) filter = { not: filter };
  return filter;
}
