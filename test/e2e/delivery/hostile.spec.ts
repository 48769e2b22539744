import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type DeliveryClient, deliveryOf, type Json, ruleMatch } from '../../support/delivery-api.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { api, service, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { rowsNaming } from '../../support/sql-builders/delivery-engine.js';

describe('the URL of a webhook', () => {
  let delivery: DeliveryClient;

  beforeAll(async () => {
    delivery = deliveryOf(await tenant());
  });

  it.each([
    'token',
    'access_token',
    'API_KEY',
    'apiKey',
    'key',
    'secret',
    'password',
    'passwd',
    'auth',
    'authorization',
    'signature',
    'sig',
    'credential',
    'credentials',
    'client-secret',
    'private_key',
    'X-Amz-Signature',
    'session-token',
    '%74oken',
    'x_api_key',
    'subscription-key',
    'sessiontoken',
    'pwd',
    'jwt',
    'token[]',
    'b=1;token',
    '%2574oken',
    'auth%5Btoken%5D',
  ])('is refused with a credential in its query parameter %s', async (name) => {
    const value = 'very-private-0123456789';
    const answer = await delivery.create({
      type: 'webhook',
      configuration: { url: `https://example.com/?a=1&${name}=${value}` },
    });
    expect([answer.status, answer.text.includes(value)]).toEqual([422, false]);
  });

  it.each(['monkey', 'tokenize', 'keyboard', 'sign', 'page', 'author', 'routing_key', 'country_code'])(
    'is accepted with the query parameter %s',
    async (name) => {
      const answer = await delivery.create({
        type: 'webhook',
        configuration: { url: `https://example.com/?${name}=1` },
      });
      expect(answer.status).toBe(201);
    },
  );
});

describe('the answer of a receiver', () => {
  let acme: Tenant;
  let delivery: DeliveryClient;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    acme = await tenant();
    delivery = deliveryOf(acme);
  });
  afterAll(() => receiver.close());

  /** Returns the stored rows of the project, the log, the metrics and every answer about deliveries as one text. */
  async function everything(): Promise<string> {
    const list = await delivery.get('/history', { limit: 100 });
    expect(list.body.total).toBeLessThanOrEqual(100);
    const details = await Promise.all((list.body.items as Json[]).map(({ id }) => delivery.get(`/history/${id}`)));
    const others = [await delivery.get('/channels'), await delivery.get('/retry-audits')];
    const metrics = await api.get('/metrics').set('X-Internal-Token', service.internalToken).expect(200);
    const texts = [metrics, list, ...details, ...others].map(({ text }) => text);
    return [await rowsNaming(acme.projectId), await logText(), ...texts].join('\n');
  }

  /** Ways to write a character that are not those of any one encoder alone. */
  const ESCAPES: ((character: string) => string)[] = [
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    (character) => (/[&<>"]/.test(character) ? `\\u00${character.charCodeAt(0).toString(16)}` : character),
    (character) => `&#${character.charCodeAt(0)};`,
    (character) => `&#x${character.charCodeAt(0).toString(16)};`,
    (character) => `%25${character.charCodeAt(0).toString(16)}`,
    (character) => `\\x${character.charCodeAt(0).toString(16)}`,
  ];

  it('is stored and shown without the values of protected headers, in every form in which it repeats them', async () => {
    const secret = 'Bearer pr0tected+value/with=signs&"quotes" 0123456789';
    const bare = secret.slice('Bearer '.length);
    const id = await delivery.webhook(receiver.url, { protected_headers: [{ name: 'Authorization', value: secret }] });
    const forms = [
      secret,
      bare,
      encodeURIComponent(bare),
      Buffer.from(bare).toString('base64'),
      Buffer.from(secret).toString('base64'),
      Buffer.from(bare).toString('hex'),
      JSON.stringify(bare).slice(1, -1),
      JSON.stringify({ headers: { authorization: secret } }),
      ...ESCAPES.map((escape) => [...bare].map(escape).join('')),
      [...bare].map((character, at) => (ESCAPES[at % ESCAPES.length] ?? String)(character)).join('\n'),
      `${bare.slice(0, 9)}=\r\n${bare.slice(9, 20)}\n${bare.slice(20)}`,
    ];
    for (const form of forms) {
      for (const status of [200, 500]) {
        receiver.answer(
          (response) => void response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`got ${form} there`),
        );
        const answer = await delivery.send('post', `/channels/${id}/test`);
        expect(answer.body.response_code).toBe(status);
        expect(answer.text).not.toContain(form);
      }
    }
    const stored = await everything();
    expect(forms.filter((form) => stored.includes(form))).toEqual([]);
  });

  /** What receivers say, with the credential in it. */
  const LEAKS: readonly (readonly [text: string, secret: string])[] = [
    ['rejected Authorization: Bearer FAKE.bearer-token_0123456789', 'FAKE.bearer-token_0123456789'],
    ['authorization=basic ZmFrZTpmYWtlLXBhc3N3b3Jk', 'ZmFrZTpmYWtlLXBhc3N3b3Jk'],
    ['Proxy-Authorization: Digest username="u", response="fakeDigest0011223344"', 'fakeDigest0011223344'],
    ['you sent Bearer fakefakefakefake', 'fakefakefakefake'],
    ['{"X-Custom-Auth":"fakeCustom98","X-Team":"blue"}', 'fakeCustom98'],
    ['Authorization: fakeRawAuthorization0099', 'fakeRawAuthorization0099'],
    ['x-api-key=FAKE_API_KEY_0000000002', 'FAKE_API_KEY_0000000002'],
    ["curl -H 'X-Auth-Token: fakeHeaderToken55'", 'fakeHeaderToken55'],
    ['{"password":"fake-Passw0rd-77"}', 'fake-Passw0rd-77'],
    ['{"error":"{\\"client_secret\\":\\"fakeEscaped88\\"}"}', 'fakeEscaped88'],
    ['DB_PASSWORD=fake!Passw0rd@78', 'fake!Passw0rd@78'],
    ["secret: 'fakeYamlSecret79'", 'fakeYamlSecret79'],
    ['passphrase = "fake phrase of words 80"', 'fake phrase of words 80'],
    ['<accessToken>fakeElement81</accessToken>', 'fakeElement81'],
    ['the password is fakeSpoken82!', 'fakeSpoken82!'],
    ['see https://example.com/cb?access_token=fakeQueryToken123', 'fakeQueryToken123'],
    ['GET /cb?a=1&credentials=fakeQueryToken124 HTTP/1.1', 'fakeQueryToken124'],
    ['/cb?a=1&amp;X-Amz-Signature=fakeQueryToken125&amp;b=2', 'fakeQueryToken125'],
    ['next=https%3A%2F%2Fexample.com%2F%3Fkey%3DfakeQueryToken126', 'fakeQueryToken126'],
    ['postgres://user:fakeUserInfo99@db.example.com/x', 'fakeUserInfo99'],
    ['https://hooks.slack.com/services/T00000000/B00000000/fakefakefakefakefakefake', 'fakefakefakefakefakefake'],
    ['https://discord.com/api/webhooks/1234/fakeDiscord-0123456789', 'fakeDiscord-0123456789'],
    ['POST /v2/token/fakePathToken0123456789 failed', 'fakePathToken0123456789'],
    ['invalid credential ghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE0000', 'ghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE0000'],
    ['key sk_live_FAKEFAKEFAKEFAKEFAKE0001 is revoked', 'sk_live_FAKEFAKEFAKEFAKEFAKE0001'],
    ['got eyJmYWtlIjoxfQ.eyJmYWtlIjoyfQ.ZmFrZXNpZ25hdHVyZTAw', 'ZmFrZXNpZ25hdHVyZTAw'],
    ['-----BEGIN PRIVATE KEY-----\nZmFrZWZha2VmYWtlZmFrZQ==\n-----END PRIVATE KEY-----', 'ZmFrZWZha2VmYWtlZmFrZQ'],
    ['configuration: {"url":"https://fake-internal-host.example/x"}', 'fake-internal-host'],
    ['{"protected_headers":[{"name":"X-A","value":"fakeProtected83"}]}', 'fakeProtected83'],
    ['Set-Cookie: session=fakeCookieValue1234567890', 'fakeCookieValue1234567890'],
    [`${'x'.repeat(480)} token=fakeAtTheCut0123456789`, 'fakeAtTheCut'],
    [`${'y '.repeat(8_000)}password=fakeBehindTheBound84`, 'fakeBehindTheBound84'],
  ];

  it('is stored and shown without any credential in its body or in its content type', async () => {
    const id = await delivery.webhook(receiver.url);
    for (const [at, [text, secret]] of LEAKS.entries()) {
      const type = `text/${/[\r\n]/.test(text) ? 'plain' : text.slice(0, 400)}`;
      receiver.answer(
        (response) => void response.writeHead(at % 2 === 0 ? 502 : 200, { 'Content-Type': type }).end(text),
      );
      const answer = await delivery.send('post', `/channels/${id}/test`);
      expect([text, answer.body.response_code, answer.text.includes(secret)]).toEqual([
        text,
        at % 2 === 0 ? 502 : 200,
        false,
      ]);
      if (at % 10 !== 0) continue;
      const attempt = await ruleMatch(acme, id);
      await delivery.until(attempt, ({ status }) => status !== 'pending');
    }
    const stored = await everything();
    expect(LEAKS.filter(([, secret]) => stored.includes(secret))).toEqual([]);
  });

  it('is shown as one line of at most 500 characters without control characters', async () => {
    const id = await delivery.webhook(receiver.url);
    for (const body of [
      Buffer.alloc(200_000, 'a b'),
      Buffer.from([0, 1, 2, 255, 254]),
      Buffer.from('a\u0000b\r\nc\ud800'),
    ]) {
      receiver.answer((response) => void response.writeHead(200).end(body));
      const answer = await delivery.send('post', `/channels/${id}/test`);
      expect(answer.body).toMatchObject({ ok: true });
      const summary = (answer.body.response_summary ?? '') as string;
      expect(summary.length).toBeLessThanOrEqual(500);
      expect(/\p{Cc}/u.test(summary)).toBe(false);
    }
  });
});
