import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signDelivery } from './signatures.js';

/** Computed independently with Python's hmac. */
const VECTORS = [
  {
    secret: 's3cret-of-a-channel',
    timestamp: 1_767_225_600,
    id: '019b8e2c-0000-7000-8000-000000000001',
    body: Buffer.from('{"kind":"test","n":1}'),
    own: '03e5117b4e7f4bcf62b382243335cc9716cfba81cd98192b18d86035083675b0',
    standard: '7CFvJcZ/tKLGHDDB7+8kcULZeaY1+YFZCXlblA1k8Hc=',
  },
  {
    secret: 'pässwörd ☂',
    timestamp: 1,
    id: '019b8e2c-0000-7000-8000-000000000002',
    body: Buffer.from('{"text":"Grüße"}'),
    own: '68e7bff90ae714cf0f3003d7e23f603c342a876bf5efa5ed2669c9e9ad92db20',
    standard: 'j0PHol0RXSk2U6T+B7xfXL+56ayBkoTSEbXJ87uZJGk=',
  },
  {
    secret: 'k'.repeat(300),
    timestamp: 4_102_444_800,
    id: 'x',
    body: Buffer.alloc(0),
    own: '460460f21a067f05f14f77a1acd37e5d9dbdd4f070532262f034bb50088f6c88',
    standard: 'HK7B9v8r3TUXUUv9sjz1GN9ZRb4exlwL7k/yIajp9jw=',
  },
  {
    secret: 'raw',
    timestamp: 5,
    id: 'y',
    body: Buffer.from([0xff, 0, 10]),
    own: '4e5268fcb68ad614e593788d2347c519aa36aec9f9fece3c2e90156b72b77901',
    standard: 'j332KHavSMYyCh/DSqzzXgjKmpUS/tgYw9KJigm7xe0=',
  },
];

describe('the signature of an attempt', () => {
  it.each(VECTORS)('equals for $id that of any other HMAC', ({ secret, timestamp, id, body, own, standard }) => {
    expect(signDelivery({ secrets: [secret], timestamp, id, body })).toEqual({
      'X-Service-Delivery-Id': id,
      'X-Service-Timestamp': String(timestamp),
      'X-Service-Signature': `v1=${own}`,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${standard}`,
    });
  });

  it('is made with each secret while one is rotated, the newest first', () => {
    const { timestamp, id, body } = VECTORS[0]!;
    const of = (...secrets: string[]) => signDelivery({ secrets, timestamp, id, body });
    const both = of('new', 'old');
    expect(both['X-Service-Signature']).toBe([of('new'), of('old')].map((one) => one['X-Service-Signature']).join(','));
    expect(both['webhook-signature']).toBe([of('new'), of('old')].map((one) => one['webhook-signature']).join(' '));
  });

  it('is left out without a secret, and the attempt keeps its id and time', () => {
    expect(signDelivery({ secrets: [], timestamp: 7, id: 'x', body: Buffer.from('{}') })).toEqual({
      'X-Service-Delivery-Id': 'x',
      'X-Service-Timestamp': '7',
      'webhook-id': 'x',
      'webhook-timestamp': '7',
    });
  });

  it('is verified by the library of Standard Webhooks with any one of the secrets', () => {
    const timestamp = Math.floor(Date.now() / 1000);
    const secrets = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(secrets, fc.uuid(), fc.json(), (all, id, body) => {
        const headers = signDelivery({ secrets: all, timestamp, id, body: Buffer.from(body) });
        for (const secret of all) {
          const receiver = new Webhook(Buffer.from(secret), { format: 'raw' });
          expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
        }
        const stranger = new Webhook(Buffer.from(`${all.join('')}!`), { format: 'raw' });
        expect(() => stranger.verify(body, headers)).toThrow('No matching signature found');
        expect(() => new Webhook(Buffer.from(all[0]!), { format: 'raw' }).verify(`${body} `, headers)).toThrow();
      }),
    );
  });
});
