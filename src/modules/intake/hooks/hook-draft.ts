import { isObject } from '../../../platform/http/validation/index.js';
import { ExactNumber } from '../../../platform/json/index.js';
import type { HookScheme } from '../../entitlement/sources/index.js';
import type { Redact } from '../../tenancy/projects/index.js';
import { type EventDraft, parseItem } from '../core/index.js';
import { type Delivery, headerOf, standardPrefixOf } from './verify-delivery.js';

/** The Event Source that a webhook was sent to. */
export interface HookedSource {
  readonly sourceId: string;
  readonly name: string;
  readonly scheme: HookScheme;
}

/** A verified webhook. `value` is its body: an object, another JSON value, or undefined without a body. */
interface ReadDelivery extends Pick<Delivery, 'headers'> {
  readonly value: unknown;
}

/** A message with which a provider tests the address. The answer to a challenge must be its text. */
export type Trial = { readonly ping: true } | { readonly challenge: string };

/** A longer body is not read as a challenge, in bytes. Real challenges are far shorter. */
const MAX_CHALLENGE = 4_096;

/** The event type and the id that a provider gives a webhook. Undefined when the provider sends none. */
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

/** Returns the test message in a verified webhook, or null when the webhook is a delivery. */
export function readTrial(
  { scheme }: Pick<HookedSource, 'scheme'>,
  delivery: Pick<Delivery, 'headers'> & { readonly text: Buffer },
): Trial | null {
  if (scheme === 'github' && headerOf(delivery, 'x-github-event') === 'ping') return { ping: true };
  if (scheme !== 'slack' || delivery.text.length > MAX_CHALLENGE) return null;
  const parsed = parseItem(delivery.text);
  const { type, challenge } = 'value' in parsed ? membersOf(parsed.value) : {};
  return type === 'url_verification' && typeof challenge === 'string' ? { challenge } : null;
}

/**
 * Returns the event of a verified webhook. The members of its body become the payload.
 * @param redact masks the members under the names that the provider gives them
 */
export function deliveryDraft(source: HookedSource, delivery: ReadDelivery, redact: Redact): EventDraft {
  const { scheme, sourceId, name } = source;
  const { value } = delivery;
  const sent = membersOf(value);
  const body = redact(sent);
  const { type, deliveryId: event_id } = READERS[scheme](delivery, body);
  // The unique key needs the id as it was sent. A masked id would be the same for all deliveries.
  const { deliveryId } = READERS[scheme](delivery, sent);
  const slug = slugOf(name);
  return {
    event_type: type ?? slug,
    source: slug,
    properties: isObjectOfMembers(value) || value === undefined ? body : { data: value },
    ...(textOf(deliveryId) !== undefined && { event_id, uniqueKey: `hook ${sourceId} ${deliveryId}` }),
  };
}

function isObjectOfMembers(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof ExactNumber);
}

/** Returns the members of a JSON object, and none of any other value. */
function membersOf(value: unknown): Record<string, unknown> {
  return isObjectOfMembers(value) ? value : {};
}

/**
 * Reads a webhook of a sender without a scheme of its own. It may name the delivery by `webhook-id` or
 * `Idempotency-Key`.
 */
function unnamed(delivery: ReadDelivery): Named {
  const deliveryId = headerOf(delivery, `${standardPrefixOf(delivery)}-id`) ?? headerOf(delivery, 'idempotency-key');
  return { type: undefined, deliveryId };
}

/**
 * Returns the name of a source in lower case. Characters other than a-z, 0-9, dot, underscore and hyphen become
 * hyphens.
 */
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
