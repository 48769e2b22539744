import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, type DeliveryClient, deliveryOf, ruleMatch } from '../../support/delivery.js';
import { everythingKept } from '../../support/kept.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';

describe('destinations in the own network', () => {
  let app: TestApp;
  let owner: Owner;
  let delivery: DeliveryClient;
  let connections = 0;
  /** Whoever connects to the own machine is seen here, on IPv4 and IPv6. */
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let port: number;

  beforeAll(async () => {
    listener.listen(0, '::');
    await once(listener, 'listening');
    ({ port } = listener.address() as AddressInfo);
    app = await createTestApp({ env: { ...DELIVERY_ENV, OUTBOUND_ALLOWED_SUBNETS: '' } });
    owner = await ownerWithProject(app);
    delivery = deliveryOf(app, owner);
  });
  afterAll(async () => {
    await app.close();
    listener.close();
  });

  const HOSTS = [
    '127.0.0.1',
    '127.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[2002:7f00:1::]',
    '[2001:db8::1]',
    '[2001::1]',
    '[ff02::1]',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'metadata.google.internal',
    'printer.local',
    'router.lan',
    'intranet.corp',
    'kubernetes.default.svc',
    'api.svc.cluster.local',
    'host.localdomain',
    'nas.home.arpa',
    'intranet',
    '①②⑦.⓪.⓪.①',
    'ⓛocalhost',
  ];

  it.each(HOSTS)('are refused when configured: %s', async (host) => {
    const answer = await delivery.create({ type: 'webhook', configuration: { url: `http://${host}:${port}/` } });
    expect([answer.status, answer.body.detail?.[0]?.loc]).toEqual([422, ['body', 'configuration', 'url']]);
  });

  it('are refused again before sending, without a connection, and never retried', async () => {
    const id = await delivery.webhook('https://example.com/');
    for (const host of HOSTS) {
      const url = `http://${host}:${port}/`;
      await app.rows(
        `UPDATE delivery_channels SET configuration = jsonb_set(configuration, '{url}', to_jsonb($2::text)) WHERE id = $1`,
        [id, url],
      );
      const attempt = await ruleMatch(app, owner.projectId, id);
      const seen = await delivery.until(attempt, ({ status }) => status === 'failed');
      expect([host, seen.retry_state]).toEqual([host, 'terminal']);
      expect(seen.failure_reason).toMatch(/^(unsafe_destination|destination_configuration_invalid)/);
      expect(JSON.stringify(seen)).not.toContain(`:${port}`);
    }
    expect(connections).toBe(0);
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
  ])('have no credential in the query: %s', async (name) => {
    const value = 'very-private-0123456789';
    const answer = await delivery.create({
      type: 'webhook',
      configuration: { url: `https://example.com/?a=1&${name}=${value}` },
    });
    expect([answer.status, answer.text.includes(value)]).toEqual([422, false]);
  });

  it.each(['monkey', 'tokenize', 'keyboard', 'sign', 'page', 'author', 'routing_key', 'country_code'])(
    'may have a query parameter called %s',
    async (name) => {
      const answer = await delivery.create({
        type: 'webhook',
        configuration: { url: `https://example.com/?${name}=1` },
      });
      expect(answer.status).toBe(201);
    },
  );
});

describe('what comes back from receivers', () => {
  let app: TestApp;
  let owner: Owner;
  let delivery: DeliveryClient;
  let receiver: Receiver;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
    owner = await ownerWithProject(app);
    delivery = deliveryOf(app, owner);
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  /** What the instance keeps, and every answer about deliveries. */
  async function everything(): Promise<string> {
    const list = await delivery.get('/history', { limit: 100 });
    const details = await Promise.all(
      (list.body.items as { id: string }[]).map(({ id }) => delivery.get(`/history/${id}`)),
    );
    const others = [await delivery.get('/channels'), await delivery.get('/retry-audits')];
    return [await everythingKept(app), ...[list, ...details, ...others].map(({ text }) => text)].join('\n');
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

  it('is stored and shown without the values of protected headers, in whatever form they are echoed', async () => {
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
    for (const form of forms) expect(stored).not.toContain(form);
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

  it('is stored and shown without any credential, in answers and in the names of their content types', async () => {
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
      const attempt = await ruleMatch(app, owner.projectId, id);
      await delivery.until(attempt, ({ status }) => status !== 'pending');
    }
    const stored = await everything();
    expect(LEAKS.filter(([, secret]) => stored.includes(secret))).toEqual([]);
  });

  it('is bounded, and one line of storable text', async () => {
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
