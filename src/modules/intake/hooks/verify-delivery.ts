import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { constantTimeEqual } from '../../../platform/crypto/index.js';
import { type HookScheme, keyOfStandardWebhooks, type OpenedHook } from '../../entitlement/sources/index.js';

/** A webhook as it was sent. */
export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Verdict = 'valid' | 'invalid_signature' | 'timestamp_out_of_range';

/**
 * A signed time that is further away, in the past or in the future, is refused. The request may be a captured one that
 * is sent again.
 */
const TOLERANCE_SECONDS = 300;
/** A header with more signatures is refused. Senders write one for each secret while they rotate it. */
const MAX_SIGNATURES = 20;
const SECONDS = /^\d{1,12}$/;

interface Verification extends OpenedHook {
  readonly secret: string;
}

type Verifier = (delivery: Delivery, hook: Verification, now: Date) => Verdict;

const VERIFIERS: Readonly<Record<Exclude<HookScheme, 'none'>, Verifier>> = {
  github: (delivery, { secret }) =>
    verdictOf(isSigned(delivery, 'x-hub-signature-256', `sha256=${hmac(secret, [delivery.body], 'hex')}`)),
  shopify: (delivery, { secret }) =>
    verdictOf(isSigned(delivery, 'x-shopify-hmac-sha256', hmac(secret, [delivery.body], 'base64'))),
  gitlab: (delivery, { secret }) => verdictOf(isSigned(delivery, 'x-gitlab-token', secret)),
  slack: verifySlack,
  stripe: verifyStripe,
  'standard-webhooks': verifyStandardWebhooks,
  'hmac-sha256': verifyHmac,
};

/**
 * Verifies a webhook by the scheme of its source. Signatures are compared in constant time. A time is checked only when
 * it is signed.
 */
export function verifyDelivery(hook: OpenedHook, delivery: Delivery, now: Date): Verdict {
  const { scheme, secret } = hook;
  if (scheme === 'none') return 'valid';
  return secret === null ? 'invalid_signature' : VERIFIERS[scheme](delivery, { ...hook, secret }, now);
}

/** Returns a header, or undefined when it is missing. The values of a repeated header are joined. */
export function headerOf({ headers }: Pick<Delivery, 'headers'>, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}

function verifySlack(delivery: Delivery, { secret }: Verification, now: Date): Verdict {
  const time = headerOf(delivery, 'x-slack-request-timestamp') ?? '';
  if (!SECONDS.test(time)) return 'invalid_signature';
  const expected = `v0=${hmac(secret, [`v0:${time}:`, delivery.body], 'hex')}`;
  return isSigned(delivery, 'x-slack-signature', expected) ? verdictOfTime(time, now) : 'invalid_signature';
}

/** The header is `t=<seconds>,v1=<hex>`, with one `v1` for each secret in use. */
function verifyStripe(delivery: Delivery, { secret }: Verification, now: Date): Verdict {
  const parts = (headerOf(delivery, 'stripe-signature') ?? '').split(',').map((part) => part.trim());
  const valuesOf = (name: string): string[] =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  // With two times, one could be signed and the other one checked.
  const [time = '', ...furtherTimes] = valuesOf('t');
  if (!SECONDS.test(time) || furtherTimes.length > 0) return 'invalid_signature';
  const expected = hmac(secret, [`${time}.`, delivery.body], 'hex');
  return isAnyOf(valuesOf('v1'), expected) ? verdictOfTime(time, now) : 'invalid_signature';
}

/** The headers begin with `webhook-`, or with `svix-` from senders that are older than the standard. */
function verifyStandardWebhooks(delivery: Delivery, { secret }: Verification, now: Date): Verdict {
  const key = keyOfStandardWebhooks(secret);
  const prefix = standardPrefixOf(delivery);
  const time = headerOf(delivery, `${prefix}-timestamp`) ?? '';
  const id = headerOf(delivery, `${prefix}-id`);
  if (key === null || id === undefined || !SECONDS.test(time)) return 'invalid_signature';
  const signatures = (headerOf(delivery, `${prefix}-signature`) ?? '').split(' ');
  const expected = `v1,${hmac(key, [`${id}.${time}.`, delivery.body], 'base64')}`;
  return isAnyOf(signatures, expected) ? verdictOfTime(time, now) : 'invalid_signature';
}

/** Returns the prefix of the header names of Standard Webhooks. */
export function standardPrefixOf({ headers }: Pick<Delivery, 'headers'>): 'webhook' | 'svix' {
  return headers['webhook-id'] === undefined && headers['svix-id'] !== undefined ? 'svix' : 'webhook';
}

function verifyHmac(delivery: Delivery, { secret, header, encoding, prefix }: Verification): Verdict {
  const given = headerOf(delivery, (header ?? '').toLowerCase()) ?? '';
  if (!given.startsWith(prefix ?? '')) return 'invalid_signature';
  const signature = given.slice(prefix?.length ?? 0).trim();
  if (encoding === 'base64') {
    return verdictOf(constantTimeEqual(signature, hmac(secret, [delivery.body], 'base64')));
  }
  return verdictOf(constantTimeEqual(signature.toLowerCase(), hmac(secret, [delivery.body], 'hex')));
}

function hmac(key: string | Buffer, parts: readonly (string | Buffer)[], encoding: 'hex' | 'base64'): string {
  const signature = createHmac('sha256', key);
  for (const part of parts) signature.update(part);
  return signature.digest(encoding);
}

function isSigned(delivery: Delivery, header: string, expected: string): boolean {
  const given = headerOf(delivery, header);
  return given !== undefined && constantTimeEqual(given, expected);
}

/** Compares with every signature, so that the time does not depend on which of them is right. */
function isAnyOf(signatures: readonly string[], expected: string): boolean {
  if (signatures.length > MAX_SIGNATURES) return false;
  return signatures.filter((signature) => constantTimeEqual(signature, expected)).length > 0;
}

function verdictOf(isValid: boolean): Verdict {
  return isValid ? 'valid' : 'invalid_signature';
}

function verdictOfTime(seconds: string, now: Date): Verdict {
  const isNear = Math.abs(now.getTime() / 1_000 - Number(seconds)) <= TOLERANCE_SECONDS;
  return isNear ? 'valid' : 'timestamp_out_of_range';
}
