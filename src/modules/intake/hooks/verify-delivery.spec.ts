import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import type { HookScheme } from '../../entitlement/sources/index.js';
import { verifyDelivery } from './verify-delivery.js';

interface Vector {
  readonly scheme: Exclude<HookScheme, 'none'>;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The header with the signature, in lower case. */
  readonly signature: string;
  readonly body: string;
  /** The signed time, in seconds. */
  readonly signedAt?: number;
  readonly header?: string;
  readonly encoding?: 'hex' | 'base64';
  readonly prefix?: string;
}

const SLACK_BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
const STRIPE_BODY = '{"id":"evt_1NG8Du2eZvKYlo2CUI79vXWy","object":"event","type":"charge.succeeded"}';
const STANDARD = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  body: '{"test": 2432232314}',
  signedAt: 1_614_265_330,
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const ORDER = '{"id":820982911946154508}';

/** Signatures from the documentation of the providers, or by their own libraries. */
const VECTORS: readonly Vector[] = [
  {
    scheme: 'github',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    signature: 'x-hub-signature-256',
    headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
  },
  {
    scheme: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    body: SLACK_BODY,
    signedAt: 1_531_420_618,
    signature: 'x-slack-signature',
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
  },
  {
    scheme: 'standard-webhooks',
    secret: STANDARD.secret,
    body: STANDARD.body,
    signedAt: STANDARD.signedAt,
    signature: 'webhook-signature',
    headers: {
      'webhook-id': STANDARD.id,
      'webhook-timestamp': String(STANDARD.signedAt),
      'webhook-signature': STANDARD.signature,
    },
  },
  {
    scheme: 'stripe',
    secret: 'whsec_test_secret',
    body: STRIPE_BODY,
    signedAt: 1_680_064_028,
    signature: 'stripe-signature',
    headers: {
      'stripe-signature': Stripe.webhooks.generateTestHeaderString({
        payload: STRIPE_BODY,
        secret: 'whsec_test_secret',
        timestamp: 1_680_064_028,
      }),
    },
  },
  {
    scheme: 'shopify',
    secret: 'hush',
    body: ORDER,
    signature: 'x-shopify-hmac-sha256',
    headers: { 'x-shopify-hmac-sha256': 'qBvrsZF7RfB1iS6BX6IHqJTp5L911P7intnPeTPsH0I=' },
  },
  {
    scheme: 'hmac-sha256',
    secret: 'hush',
    header: 'X-Signature',
    encoding: 'hex',
    prefix: 'sha256=',
    body: ORDER,
    signature: 'x-signature',
    headers: { 'x-signature': 'sha256=a81bebb1917b45f075892e815fa207a894e9e4bf75d4fee29ed9cf7933ec1f42' },
  },
  {
    scheme: 'hmac-sha256',
    secret: 'hush',
    header: 'X-Hmac',
    encoding: 'base64',
    prefix: '',
    body: ORDER,
    signature: 'x-hmac',
    headers: { 'x-hmac': 'qBvrsZF7RfB1iS6BX6IHqJTp5L911P7intnPeTPsH0I=' },
  },
  {
    scheme: 'gitlab',
    secret: 'a-token-of-the-project',
    body: '{"object_kind":"push"}',
    signature: 'x-gitlab-token',
    headers: { 'x-gitlab-token': 'a-token-of-the-project' },
  },
];

const verdict = (vector: Vector, change: Partial<Vector> = {}, secondsLater = 0): string => {
  const {
    scheme,
    secret,
    header = null,
    encoding = null,
    prefix = null,
    headers,
    body,
    signedAt = 0,
  } = {
    ...vector,
    ...change,
  };
  const now = new Date(((vector.signedAt ?? signedAt) + secondsLater) * 1_000);
  return verifyDelivery({ scheme, secret, header, encoding, prefix }, { headers, body: Buffer.from(body) }, now);
};

const withSignature = (vector: Vector, text: string): Partial<Vector> => ({
  headers: { ...vector.headers, [vector.signature]: text },
});

/** Returns the text once for each of its characters, with another character in that place. */
function changedOnce(text: string): string[] {
  return Array.from(text, (character, at) => {
    const other = character === '0' ? '1' : '0';
    return text.slice(0, at) + other + text.slice(at + 1);
  });
}

describe('the verification of a webhook', () => {
  it.each(VECTORS)('accepts a delivery of $scheme as its documentation signs it', (vector) => {
    expect(verdict(vector)).toBe('valid');
  });

  it.each(VECTORS)('refuses a signature of $scheme with any one character changed', (vector) => {
    const signature = vector.headers[vector.signature] ?? '';
    for (const changed of changedOnce(signature)) {
      expect([changed, verdict(vector, withSignature(vector, changed))]).not.toContain('valid');
    }
    for (const cut of ['', signature.slice(0, -1), `${signature}0`, `x${signature}`])
      expect(verdict(vector, withSignature(vector, cut))).toBe('invalid_signature');
  });

  it.each(VECTORS)('refuses $scheme with another secret or without its signature', (vector) => {
    const headers = Object.fromEntries(Object.entries(vector.headers).filter(([name]) => name !== vector.signature));
    expect(verdict(vector, { secret: 'c29tZXRoaW5nIGVsc2U=' })).toBe('invalid_signature');
    expect(verdict(vector, { headers })).toBe('invalid_signature');
  });

  it.each(VECTORS.filter(({ scheme }) => scheme !== 'gitlab'))('refuses $scheme with a changed body', (vector) => {
    for (const body of [`${vector.body} `, vector.body.slice(1), ''])
      expect(verdict(vector, { body })).toBe('invalid_signature');
  });

  it.each(VECTORS.filter(({ signedAt }) => signedAt !== undefined))(
    'refuses $scheme more than five minutes before or after its time',
    (vector) => {
      expect([-301, -300, 0, 300, 301].map((seconds) => verdict(vector, {}, seconds))).toEqual([
        'timestamp_out_of_range',
        'valid',
        'valid',
        'valid',
        'timestamp_out_of_range',
      ]);
    },
  );

  it.each(VECTORS.filter(({ signedAt }) => signedAt !== undefined))(
    'refuses $scheme with a time that is not the signed one',
    (vector) => {
      for (const time of ['', 'soon', `${(vector.signedAt ?? 0) + 1}`, `${vector.signedAt}.5`, `-${vector.signedAt}`]) {
        const headers = Object.fromEntries(
          Object.entries(vector.headers).map(([name, text]) => [
            name,
            /timestamp$/.test(name) ? time : text.replace(`t=${vector.signedAt}`, `t=${time}`),
          ]),
        );
        expect(verdict(vector, { headers })).toBe('invalid_signature');
      }
    },
  );

  it('accepts a signature that the library of Standard Webhooks makes now, among signatures of other secrets', () => {
    const body = '{"type":"contact.created","data":{"ä":"ö"}}';
    const signedAt = 1_700_000_000;
    const signatures = ['whsec_AAAA', STANDARD.secret, 'whsec_BBBB'].map((secret) =>
      new Webhook(secret).sign('msg_1', new Date(signedAt * 1_000), body),
    );
    const sent = (names: string, all: readonly string[]): Vector => ({
      scheme: 'standard-webhooks',
      secret: STANDARD.secret,
      body,
      signedAt,
      signature: `${names}-signature`,
      headers: {
        [`${names}-id`]: 'msg_1',
        [`${names}-timestamp`]: String(signedAt),
        [`${names}-signature`]: all.join(' '),
      },
    });
    for (const names of ['webhook', 'svix']) expect(verdict(sent(names, signatures))).toBe('valid');
    expect(verdict(sent('webhook', signatures), { secret: STANDARD.secret.replace('whsec_', '') })).toBe('valid');
    expect(verdict(sent('webhook', ['v1a,x', 'v2,x']))).toBe('invalid_signature');
  });

  it.each(VECTORS)('refuses the beginning of a signature of $scheme, up to all characters but the last', (vector) => {
    const signature = vector.headers[vector.signature] ?? '';
    for (let length = 0; length < signature.length; length++)
      expect(verdict(vector, withSignature(vector, signature.slice(0, length)))).toBe('invalid_signature');
  });

  it('refuses more than 20 signatures of Standard Webhooks, also when one of them is valid', () => {
    const vector = VECTORS.find(({ scheme }) => scheme === 'standard-webhooks') as Vector;
    const withOthers = (others: number) =>
      verdict(vector, withSignature(vector, [...Array<string>(others).fill('v1,x'), STANDARD.signature].join(' ')));
    expect(withOthers(19)).toBe('valid');
    expect(withOthers(20)).toBe('invalid_signature');
  });

  it('refuses a signature of Stripe for two times, and accepts one of two secrets', () => {
    const vector = VECTORS.find(({ scheme }) => scheme === 'stripe') as Vector;
    const signature = vector.headers['stripe-signature'] ?? '';
    expect(verdict(vector, withSignature(vector, `t=1,${signature}`))).toBe('invalid_signature');
    expect(verdict(vector, withSignature(vector, `${signature},v1=${'0'.repeat(64)},v0=x`))).toBe('valid');
    expect(verdict(vector, withSignature(vector, signature.replace('v1=', 'v0=')))).toBe('invalid_signature');
  });

  it('accepts hexadecimal digits of hmac-sha256 in upper case', () => {
    const vector = VECTORS.find(({ encoding }) => encoding === 'hex') as Vector;
    const digits = (vector.headers['x-signature'] ?? '').slice('sha256='.length);
    expect(verdict(vector, withSignature(vector, `sha256=${digits.toUpperCase()}`))).toBe('valid');
    expect(verdict(vector, withSignature(vector, digits))).toBe('invalid_signature');
  });

  it('accepts everything for the scheme none, and nothing for a scheme whose secret is missing', () => {
    const unsigned = { headers: {}, body: Buffer.from('{}') };
    const hook = { secret: null, header: null, encoding: null, prefix: null };
    expect(verifyDelivery({ ...hook, scheme: 'none' }, unsigned, new Date(0))).toBe('valid');
    for (const { scheme, headers, body } of VECTORS)
      expect(verifyDelivery({ ...hook, scheme }, { headers, body: Buffer.from(body) }, new Date(0))).toBe(
        'invalid_signature',
      );
  });
});
