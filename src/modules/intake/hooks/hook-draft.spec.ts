import { describe, expect, it } from '@jest/globals';
import type { HookScheme } from '../../entitlement/sources/index.js';
import { deliveryDraft, readTrial, slugOf } from './hook-draft.js';

const SOURCE = { sourceId: 'S', name: 'Shop Hooks' };

const read = (scheme: HookScheme, headers: Record<string, string>, value: unknown) =>
  deliveryDraft({ ...SOURCE, scheme }, { headers, value }, (properties) => properties);

describe('the event of a webhook', () => {
  it.each<[string, HookScheme, Record<string, string>, object, string, string | undefined]>([
    [
      'an action',
      'github',
      { 'x-github-event': 'pull_request', 'x-github-delivery': '72d3162e' },
      { action: 'opened', number: 2 },
      'github.pull_request.opened',
      'hook S 72d3162e',
    ],
    ['no action', 'github', { 'x-github-event': 'push', 'x-github-delivery': 'd' }, {}, 'github.push', 'hook S d'],
    ['no event', 'github', {}, { action: 'opened' }, 'shop-hooks', undefined],
    [
      'a type and an id',
      'stripe',
      {},
      { id: 'evt_1', type: 'charge.succeeded' },
      'stripe.charge.succeeded',
      'hook S evt_1',
    ],
    ['a number as the type', 'stripe', {}, { id: 7, type: 7 }, 'shop-hooks', undefined],
    [
      'a topic',
      'shopify',
      { 'x-shopify-topic': 'orders/create', 'x-shopify-webhook-id': 'w-1' },
      { id: 1 },
      'shopify.orders/create',
      'hook S w-1',
    ],
    [
      'an event in its envelope',
      'slack',
      {},
      { type: 'event_callback', event_id: 'Ev1', event: { type: 'app_mention' } },
      'slack.app_mention',
      'hook S Ev1',
    ],
    ['no event in its envelope', 'slack', {}, { type: 'app_rate_limited' }, 'slack.app_rate_limited', undefined],
    [
      'an idempotency key',
      'gitlab',
      { 'idempotency-key': 'k-1', 'x-gitlab-event-uuid': 'u-1' },
      { object_kind: 'merge_request' },
      'gitlab.merge_request',
      'hook S k-1',
    ],
    [
      'the id of an event',
      'gitlab',
      { 'x-gitlab-event-uuid': 'u-1' },
      { event_name: 'push' },
      'gitlab.push',
      'hook S u-1',
    ],
    [
      'a type',
      'standard-webhooks',
      { 'webhook-id': 'msg_1' },
      { type: 'user.created' },
      'user.created',
      'hook S msg_1',
    ],
    ['the older headers', 'standard-webhooks', { 'svix-id': 'msg_1' }, {}, 'shop-hooks', 'hook S msg_1'],
    ['a type in its body', 'none', {}, { type: 'ignored' }, 'shop-hooks', undefined],
    ['a delivery id', 'none', { 'webhook-id': 'msg_1' }, {}, 'shop-hooks', 'hook S msg_1'],
    ['an idempotency key', 'hmac-sha256', { 'idempotency-key': 'k-1' }, {}, 'shop-hooks', 'hook S k-1'],
  ])('is named for %s of %s', (_, scheme, headers, value, type, uniqueKey) => {
    const unique = uniqueKey === undefined ? {} : { uniqueKey, event_id: uniqueKey.replace('hook S ', '') };
    expect(read(scheme, headers, value)).toEqual({
      event_type: type,
      source: 'shop-hooks',
      properties: value,
      ...unique,
    });
  });

  it.each([
    ['a list', [{ email: 'a@b.c' }], { data: [{ email: 'a@b.c' }] }],
    ['a text', 'hello', { data: 'hello' }],
    ['null', null, { data: null }],
    ['no body', undefined, {}],
  ])('has %s as its property data', (_, value, properties) => {
    expect(read('none', {}, value)).toMatchObject({ properties });
  });

  it('has a redacted id masked, and stays unique by the id that was sent', () => {
    const redact = (body: Record<string, unknown>): Record<string, unknown> => ({ ...body, id: '[redacted]' });
    const value = { id: 'evt_1', type: 'charge.succeeded' };
    expect(deliveryDraft({ ...SOURCE, scheme: 'stripe' }, { headers: {}, value }, redact)).toMatchObject({
      event_id: '[redacted]',
      uniqueKey: 'hook S evt_1',
      properties: { id: '[redacted]' },
    });
  });
});

describe('the test message of a provider', () => {
  const challenge = '{"type":"url_verification","challenge":"3eZbrw1a"}';
  it.each<[string, HookScheme, Record<string, string>, string, object | null]>([
    ['a ping of GitHub', 'github', { 'x-github-event': 'ping' }, '{"zen":"Design for failure."}', { ping: true }],
    ['a challenge of Slack', 'slack', {}, challenge, { challenge: '3eZbrw1a' }],
    ['a challenge of another sender', 'none', { 'x-github-event': 'ping' }, challenge, null],
    ['a body of Slack that is no JSON', 'slack', {}, '{', null],
    ['a body of Slack that is empty', 'slack', {}, '', null],
    ['a long body of Slack', 'slack', {}, challenge + ' '.repeat(4_096), null],
  ])('is read from %s', (_, scheme, headers, text, trial) => {
    expect(readTrial({ scheme }, { headers, text: Buffer.from(text) })).toEqual(trial);
  });
});

describe('the word for a source', () => {
  it.each([
    ['Shop Hooks', 'shop-hooks'],
    ['a.b_c-9', 'a.b_c-9'],
    ['Zürich/🚀', 'z-rich--'],
  ])('is for %s the word %s', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });
});
