import { isObject } from '../../../platform/http/fields/index.js';
import { ExactNumber } from '../../../platform/json/index.js';
import type { HookScheme } from '../../entitlement/sources/index.js';
import type { EventDraft } from '../core/index.js';
import { type Delivery, headerOf, standardPrefixOf } from './verify-delivery.js';

/** The Event Source that a webhook was sent to. */
export interface HookedSource {
  readonly sourceId: string;
  readonly name: string;
  readonly scheme: HookScheme;
}

/** A verified webhook. `value` is its body: an object, another JSON value, or undefined without a body. */
export interface ReadDelivery extends Pick<Delivery, 'headers'> {
  readonly value: unknown;
}

/** What a webhook becomes: an event, or an answer to a message with which a provider tries the address. */
export type Reading = { readonly draft: EventDraft } | { readonly ping: true } | { readonly challenge: string };

/** What a provider says about a webhook. Members that it leaves out are undefined. */
interface Named {
  readonly type: string | undefined;
  /** The same for every repeat of a delivery. */
  readonly deliveryId: string | undefined;
}

type Reader = (delivery: ReadDelivery, body: Readonly<Record<string, unknown>>) => Named;

const READERS: Readonly<Record<HookScheme, Reader>> = {
  github: (delivery, body) => ({
    type: joined('github', textOf(headerOf(delivery, 'x-github-event')), textOf(body.action)),
    deliveryId: headerOf(delivery, 'x-github-delivery'),
  }),
  stripe: (_, body) => ({ type: joined('stripe', textOf(body.type)), deliveryId: textOf(body.id) }),
  shopify: (delivery) => ({
    type: joined('shopify', textOf(headerOf(delivery, 'x-shopify-topic'))),
    deliveryId: headerOf(delivery, 'x-shopify-webhook-id'),
  }),
  slack: (_, body) => ({
    type: joined('slack', textOf(isObject(body.event) ? body.event.type : undefined) ?? textOf(body.type)),
    deliveryId: textOf(body.event_id),
  }),
  gitlab: (delivery, body) => ({
    type: joined('gitlab', textOf(body.object_kind) ?? textOf(body.event_name)),
    deliveryId: headerOf(delivery, 'idempotency-key') ?? headerOf(delivery, 'x-gitlab-event-uuid'),
  }),
  'standard-webhooks': (delivery, body) => ({
    type: textOf(body.type),
    deliveryId: headerOf(delivery, `${standardPrefixOf(delivery)}-id`),
  }),
  'hmac-sha256': unnamed,
  none: unnamed,
};

/** Reads the event of a verified webhook. The members of its body become the payload. */
export function readDelivery(source: HookedSource, delivery: ReadDelivery): Reading {
  const { scheme, sourceId, name } = source;
  const { value } = delivery;
  const members = isObject(value) && !(value instanceof ExactNumber) ? value : undefined;
  const body = members ?? {};
  if (scheme === 'github' && headerOf(delivery, 'x-github-event') === 'ping') return { ping: true };
  if (scheme === 'slack' && body.type === 'url_verification' && typeof body.challenge === 'string') {
    return { challenge: body.challenge };
  }
  const { type, deliveryId: event_id } = READERS[scheme](delivery, body);
  const slug = slugOf(name);
  return {
    draft: {
      event_type: type ?? slug,
      source: slug,
      properties: members === undefined && value !== undefined ? { data: value } : body,
      ...(textOf(event_id) !== undefined && { event_id, uniqueKey: `hook ${sourceId} ${event_id}` }),
    },
  };
}

/** Senders without a scheme of their own name a delivery, if they do, as the two standards say. */
function unnamed(delivery: ReadDelivery): Named {
  const deliveryId = headerOf(delivery, `${standardPrefixOf(delivery)}-id`) ?? headerOf(delivery, 'idempotency-key');
  return { type: undefined, deliveryId };
}

/** Returns the name of a source as a word: in lower case, other characters as hyphens. */
export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9._-]/gu, '-');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the parts with dots between them, or undefined when the provider names no event. */
function joined(provider: string, event: string | undefined, action?: string): string | undefined {
  return event === undefined ? undefined : [provider, event, action].filter((part) => part !== undefined).join('.');
}
