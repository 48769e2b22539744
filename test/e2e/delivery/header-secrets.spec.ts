import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import type { Response } from 'supertest';
import { SecretsReader } from '../../../src/modules/entitlement/secrets/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  DELIVERY_ENV,
  type DeliveryClient,
  deliveryOf,
  type Json,
  makeDue,
  ruleMatch,
  runRetries,
} from '../../support/delivery.js';
import { eventually } from '../../support/eventually.js';
import { everythingKept } from '../../support/kept.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type SecretsClient, secretsOf } from '../../support/secrets.js';

const FORBIDDEN = { detail: 'Insufficient project role' };

describe('secrets in protected headers', () => {
  let app: TestApp;
  let owner: Owner;
  let delivery: DeliveryClient;
  let secrets: SecretsClient;
  let receiver: Receiver;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    delivery = deliveryOf(app, owner);
    secrets = secretsOf(app, owner);
    receiver.answer(200);
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const channelWith = (...values: string[]): Promise<string> =>
    delivery.webhook(receiver.url, {
      protected_headers: values.map((value, at) => ({ name: `X-H${at}`, value })),
    });
  const test = async (channel: string): Promise<Json> =>
    (await delivery.send('post', `/channels/${channel}/test`)).body;
  const received = (name = 'x-h0'): unknown => receiver.received.at(-1)?.headers[name];
  const references = async (): Promise<Record<string, number>> =>
    Object.fromEntries((await secrets.list()).body.map(({ name, references: count }: Json) => [name, count]));
  const headerPath = (channel: string, name = ''): string =>
    `/channels/${channel}/protected-headers${name && `/${name}`}`;

  it('are put in where a value names them, any number of times, and nowhere else', async () => {
    await secrets.made('USER', 'ada');
    await secrets.made('PASSWORD_1', '{{secret:USER}} %20 "quoted"');
    const channel = await delivery.webhook(receiver.url, {
      configuration: { headers: { 'X-Public': '{{secret:USER}}' } },
      protected_headers: [
        { name: 'X-H0', value: 'Basic {{secret:USER}}:{{secret:PASSWORD_1}};{{secret:USER}}' },
        { name: 'X-H1', value: '{{user}} {{ secret: USER }} {{{secret:USER}}} {{secret:USER}' },
        { name: 'X-H2', value: 'raw' },
      ],
    });
    expect((await test(channel)).ok).toBe(true);
    expect([received('x-h0'), received('x-h1'), received('x-h2'), received('x-public')]).toEqual([
      'Basic ada:{{secret:USER}} %20 "quoted";ada',
      '{{user}} ada {ada} {{secret:USER}',
      'raw',
      '{{secret:USER}}',
    ]);
    const [told] = (await delivery.get('/channels')).body as Json[];
    expect(told.protected_headers.map(({ masked_value }: Json) => masked_value as string)).toEqual(
      Array(3).fill('********'),
    );
    expect(await references()).toEqual({ PASSWORD_1: 1, USER: 2 });
  });

  it('are held by headers as these are added, rotated and removed, and by channels', async () => {
    for (const name of ['A', 'B', 'C']) await secrets.made(name, `value-${name}`);
    const channel = await channelWith('{{secret:A}}{{secret:B}}');
    expect(await references()).toEqual({ A: 1, B: 1, C: 0 });
    await delivery.send('post', headerPath(channel), { name: 'X-More', value: '{{secret:B}}' });
    expect(await references()).toEqual({ A: 1, B: 2, C: 0 });
    await delivery.send('patch', headerPath(channel, 'x-h0'), { value: '{{secret:B}} {{secret:C}}' });
    expect(await references()).toEqual({ A: 0, B: 2, C: 1 });
    await delivery.send('patch', `/channels/${channel}`, {
      protected_headers: [
        { name: 'x-more', value: 'plain' },
        { name: 'X-New', value: '{{secret:A}}' },
      ],
    });
    expect(await references()).toEqual({ A: 1, B: 1, C: 1 });
    await test(channel);
    expect([received(), received('x-more'), received('x-new')]).toEqual(['value-B value-C', 'plain', 'value-A']);
    await delivery.send('delete', headerPath(channel, 'X-H0'));
    expect(await references()).toEqual({ A: 1, B: 0, C: 0 });
    const other = await channelWith('{{secret:C}}');
    expect((await delivery.send('delete', `/channels/${other}`)).status).toBe(204);
    expect(await references()).toEqual({ A: 1, B: 0, C: 0 });
  });

  it('are not deleted while they are named, and the refusal says where, at most twenty times', async () => {
    const id = await secrets.made('HELD', 'value');
    const made: object[] = [];
    for (const [at, headers] of [20, 1].entries()) {
      const channel = await delivery.create({
        type: 'webhook',
        name: `Channel ${at}`,
        configuration: { url: receiver.url },
        protected_headers: Array.from({ length: headers }, (_, n) => ({ name: `X-H${n}`, value: '{{secret:HELD}}' })),
      });
      for (let n = 0; n < headers; n += 1)
        made.push({ channel_id: channel.body.id as string, channel_name: `Channel ${at}`, header_name: `X-H${n}` });
    }
    const refused = await secrets.delete(id);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      { code: 'secret_in_use', reason: 'The secret is used by protected headers', references: made.slice(0, 20) },
    ]);
    expect(await references()).toEqual({ HELD: 21 });
    const [first, second] = (await delivery.get('/channels')).body as Json[];
    await delivery.send('delete', `/channels/${second.id}`);
    expect((await secrets.delete(id)).body.detail.references).toEqual(made.slice(20));
    await delivery.send('patch', headerPath(first.id as string, 'X-H0'), { value: 'plain' });
    expect((await secrets.delete(id)).status).toBe(204);
  });

  it('must be there, wherever a value is set; nothing is stored otherwise', async () => {
    await secrets.made('THERE', 'value');
    const channel = await channelWith('raw');
    const before = await app.rows('SELECT value FROM delivery_protected_headers ORDER BY id');
    const none = (name: string, loc: (string | number)[]): object => ({
      type: 'value_error',
      loc,
      msg: `Value error, there is no secret ${name}`,
      input: '[redacted]',
      ctx: { error: {} },
    });
    const own = ['body', 'value'];
    for (const [value, name] of [
      ['{{secret:MISSING}}', 'MISSING'],
      ['{{secret:THERE}} {{secret:there}}', 'there'],
      ['{{secret:}}', ''],
      ['{{ secret: MISSING }}', 'MISSING'],
      ['{{secret:THERE THERE}}', 'THERE THERE'],
      ['{{Secret:THERE}}', 'Secret:THERE'],
      [`{{secret:${'N'.repeat(2_000)}}}`, 'N'.repeat(100)],
    ] as const) {
      const added = await delivery.send('post', headerPath(channel), { name: 'X-New', value });
      expect([added.status, added.body.detail]).toEqual([422, [none(name, own)]]);
      const rotated = await delivery.send('patch', headerPath(channel, 'X-H0'), { value });
      expect([rotated.status, rotated.body.detail]).toEqual([422, [none(name, own)]]);
    }
    const headers = {
      protected_headers: [
        { name: 'X-H0', value: '{{secret:ONE}}' },
        { name: 'X-Good', value: '{{secret:THERE}}' },
        { name: 'X-Bad', value: 'a {{secret:TWO}} {{secret:THREE}}' },
      ],
    };
    const rows = [
      none('ONE', ['body', 'protected_headers', 0, 'value']),
      none('TWO', ['body', 'protected_headers', 2, 'value']),
    ];
    const upserted = await delivery.send('patch', `/channels/${channel}`, { name: 'Other', ...headers });
    expect([upserted.status, upserted.body.detail]).toEqual([422, rows]);
    const created = await delivery.create({ type: 'webhook', configuration: { url: receiver.url }, ...headers });
    expect([created.status, created.body.detail]).toEqual([422, rows]);
    expect(await app.rows('SELECT value FROM delivery_protected_headers ORDER BY id')).toEqual(before);
    expect((await delivery.get('/channels')).body).toEqual([
      expect.objectContaining({ id: channel, name: 'Receiver' }),
    ]);
    expect(await references()).toEqual({ THERE: 0 });
  });

  it('must make a header value: when it is set, and at each send, which ends until it is one again', async () => {
    const id = await secrets.made('TOKEN', 'x'.repeat(1_024));
    const refused = async (value: string): Promise<void> => {
      const answer = await delivery.create({
        type: 'webhook',
        configuration: { url: receiver.url },
        protected_headers: [{ name: 'X-H0', value }],
      });
      expect([answer.status, answer.body.detail]).toEqual([
        422,
        [
          expect.objectContaining({
            type: 'value_error',
            loc: ['body', 'protected_headers', 0, 'value'],
            msg: 'Value error, with its secrets the value must be a header value of at most 2048 visible ASCII characters',
            input: '[redacted]',
          }),
        ],
      ]);
    };
    await refused('{{secret:TOKEN}}{{secret:TOKEN}}.');
    for (const bad of ['a\r\nX-Evil: 1', 'ü', '\u007f', 'x'.repeat(2_049), 'x'.repeat(49_152)]) {
      await secrets.replace(id, bad);
      await refused('{{secret:TOKEN}}');
    }
    await secrets.replace(id, 'x'.repeat(1_024));
    const channel = await channelWith('{{secret:TOKEN}}{{secret:TOKEN}}');
    expect([(await test(channel)).ok, String(received()).length]).toEqual([true, 2_048]);

    const arrived = receiver.received.length;
    for (const bad of ['a\r\nX-Evil: 1', 'ü', 'x'.repeat(1_025), 'x'.repeat(49_152)]) {
      expect(await secrets.replace(id, bad)).toMatchObject({ status: 200 });
      expect(await test(channel)).toMatchObject({
        ok: false,
        status: 'failed',
        failure_reason: 'protected_header_invalid',
      });
    }
    const attempt = await ruleMatch(app, owner.projectId, channel);
    const ended = await delivery.until(attempt, ({ status }) => status === 'failed');
    expect(ended).toMatchObject({ retry_state: 'terminal', failure_reason: 'protected_header_invalid' });
    expect(receiver.received).toHaveLength(arrived);
    await secrets.replace(id, 'good again');
    const replayed = await delivery.send('post', `/history/${attempt}/replay`);
    expect(replayed.status).toBe(200);
    await receiver.requests(arrived + 1);
    expect(received()).toBe('good againgood again');
  });

  it('are sent as they are at each try, however old the attempt is', async () => {
    const id = await secrets.made('TOKEN', 'before');
    const channel = await channelWith('Bearer {{secret:TOKEN}}');
    const from = receiver.received.length;
    receiver.answer(503);
    const attempt = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(attempt, ({ retry_state }) => retry_state === 'scheduled_retry');
    await secrets.replace(id, 'after');
    receiver.answer(200);
    await makeDue(app, attempt);
    await runRetries(app);
    await delivery.until(attempt, ({ status }) => status === 'sent');
    expect(receiver.received.slice(from).map(({ headers }) => headers['x-h0'])).toEqual([
      'Bearer before',
      'Bearer after',
    ]);
  });

  it('are sent whole while they are replaced, and no old value after the answer', async () => {
    const id = await secrets.made('TOKEN', 'v-0');
    const channel = await channelWith('{{secret:TOKEN}}/{{secret:TOKEN}}');
    const from = receiver.received.length;
    for (let version = 1; version <= 8; version += 1) {
      const [replaced] = await Promise.all([secrets.replace(id, `v-${version}`), test(channel), test(channel)]);
      expect(replaced.status).toBe(200);
      const during = receiver.received.slice(from).map(({ headers }) => headers['x-h0']);
      for (const value of during) expect(String(value)).toMatch(/^(v-\d+)\/\1$/);
      await test(channel);
      expect(received()).toBe(`v-${version}/v-${version}`);
    }
  });

  it('are either deleted or named, when both are asked for at once', async () => {
    const channel = await channelWith('raw');
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round += 1) {
      const id = await secrets.made(`RACED_${round}`, 'value');
      const remove = (): Promise<Response> => secrets.delete(id);
      const save = (): Promise<Response> =>
        delivery.send('patch', headerPath(channel, 'X-H0'), { value: `{{secret:RACED_${round}}}` });
      const [removed, saved] =
        round % 2 === 0
          ? await Promise.all([remove(), save()])
          : await Promise.all([save(), remove()]).then(([second, first]) => [first, second] as const);
      outcomes.add(`${removed.status} ${saved.status}`);
      expect(['204 422', '409 200']).toContain(`${removed.status} ${saved.status}`);
      expect((await test(channel)).ok).toBe(true);
    }
    expect(outcomes.size).toBeGreaterThan(0);
  });

  it('hold back a deletion by the database itself, also one that has begun when a header begins to name them', async () => {
    const id = await secrets.made('HELD', 'value');
    const channel = await channelWith('raw');
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM project_secrets WHERE id = $1 FOR KEY SHARE', [id]);
      const deletion = secrets.delete(id);
      await waiting('FOR UPDATE');
      await client.query(
        `INSERT INTO protected_header_secrets (project_id, header_id, secret_id)
         SELECT project_id, id, $2 FROM delivery_protected_headers WHERE channel_id = $1`,
        [channel, id],
      );
      await client.query('COMMIT');
      expect((await deletion).status).toBe(409);
    } finally {
      await client.end();
    }
    await expect(app.rows('DELETE FROM project_secrets WHERE id = $1', [id])).rejects.toThrow(
      /fk_protected_header_secrets_secret_id/,
    );
  });

  /** Until a statement with these words waits for a lock. */
  async function waiting(words: string): Promise<void> {
    await eventually(
      () =>
        app.rows(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND position($1 IN query) > 0`,
          [words],
        ),
      (found) => found.length > 0,
      () => `nobody waits for ${words}`,
    );
  }

  describe('of a channel that is changed between the claim of an attempt and its send', () => {
    /** Does something after the next claim, before the secrets are read. */
    function meanwhile(act: () => Promise<unknown>): void {
      const reader = app.nest.get(SecretsReader, { strict: false });
      const present = reader.present.bind(reader);
      jest.spyOn(reader, 'present').mockImplementationOnce(async (...asked) => {
        await act();
        return present(...asked);
      });
    }

    it('go to the new address alone', async () => {
      const id = await secrets.made('TOKEN', 'before');
      const channel = await channelWith('{{secret:TOKEN}}');
      const from = receiver.received.length;
      meanwhile(async () => {
        await delivery.send('patch', `/channels/${channel}`, { configuration: { url: `${receiver.url}/elsewhere` } });
        await secrets.replace(id, 'after');
      });
      const attempt = await ruleMatch(app, owner.projectId, channel);
      const waits = await delivery.until(attempt, ({ failure_reason }) => failure_reason === 'channel_changed');
      expect(waits).toMatchObject({ status: 'pending', retry_count: 0 });
      await makeDue(app, attempt);
      await runRetries(app);
      await delivery.until(attempt, ({ status }) => status === 'sent');
      expect(receiver.received.slice(from).map(({ path, headers }) => [path, headers['x-h0']])).toEqual([
        ['/elsewhere', 'after'],
      ]);
    });

    it('end no attempt when they are deleted, and no header names them any more', async () => {
      const id = await secrets.made('TOKEN', 'before');
      const channel = await channelWith('{{secret:TOKEN}}');
      meanwhile(async () => {
        await delivery.send('patch', headerPath(channel, 'X-H0'), { value: 'raw' });
        expect((await secrets.delete(id)).status).toBe(204);
      });
      const attempt = await ruleMatch(app, owner.projectId, channel);
      await delivery.until(attempt, ({ failure_reason }) => failure_reason === 'channel_changed');
      await makeDue(app, attempt);
      await runRetries(app);
      await delivery.until(attempt, ({ status }) => status === 'sent');
      expect(received()).toBe('raw');
    });
  });

  it('do not open as an earlier version of themselves, nor in the place of another', async () => {
    const [first, second] = [await secrets.made('FIRST', 'first'), await secrets.made('SECOND', 'second')];
    const channel = await channelWith('{{secret:FIRST}}');
    const [old] = await app.rows<{ value: string }>('SELECT value FROM project_secrets WHERE id = $1', [first]);
    await secrets.replace(first, 'newer');
    for (const value of [
      old?.value,
      (await app.rows<{ value: string }>('SELECT value FROM project_secrets WHERE id = $1', [second]))[0]?.value,
    ]) {
      await app.rows('UPDATE project_secrets SET value = $2 WHERE id = $1', [first, value]);
      expect(await test(channel)).toMatchObject({ ok: false, failure_reason: 'protected_header_invalid' });
    }
    expect((await secrets.replace(first, 'repaired')).status).toBe(200);
    expect([(await test(channel)).ok, received()]).toEqual([true, 'repaired']);
  });

  it('tell when they were last used, once a minute', async () => {
    const id = await secrets.made('TOKEN', 'value');
    const lastUse = async (): Promise<string | null> => (await secrets.list()).body[0].last_used_at as string | null;
    const channel = await channelWith('{{secret:TOKEN}}');
    expect(await lastUse()).toBeNull();
    await test(channel);
    const first = await lastUse();
    expect(first).not.toBeNull();
    await test(channel);
    expect(await lastUse()).toBe(first);
    await app.rows(`UPDATE project_secrets SET last_used_at = now() - interval '61 seconds' WHERE id = $1`, [id]);
    await Promise.all([test(channel), test(channel), test(channel)]);
    expect(Date.parse(String(await lastUse()))).toBeGreaterThanOrEqual(Date.parse(String(first)));
    expect((await secrets.list()).body[0]).toMatchObject({ version: 1 });
  });

  describe('are a matter of admins', () => {
    it('wherever a header begins to name one, or ceases to', async () => {
      await secrets.made('TOKEN', 'value');
      const [plain, naming] = [await channelWith('raw'), await channelWith('{{secret:TOKEN}}')];
      const named = { name: 'X-H0', value: '{{secret:TOKEN}}' };
      const member = delivery.as(await addMember(app, owner, 'member'));
      const refused = [
        await member.create({ type: 'webhook', configuration: { url: receiver.url }, protected_headers: [named] }),
        await member.send('post', headerPath(plain), { ...named, name: 'X-New' }),
        await member.send('patch', headerPath(plain, 'X-H0'), { value: named.value }),
        await member.send('patch', `/channels/${plain}`, { protected_headers: [named] }),
        // Whether such a secret exists is not told either.
        await member.send('patch', headerPath(plain, 'X-H0'), { value: '{{secret:MISSING}}' }),
        await member.send('patch', headerPath(naming, 'X-H0'), { value: 'raw' }),
        await member.send('patch', `/channels/${naming}`, { protected_headers: [{ name: 'x-h0', value: 'raw' }] }),
      ];
      expect(refused.map(({ status, body }) => [status, body])).toEqual(refused.map(() => [403, FORBIDDEN]));
      expect(await references()).toEqual({ TOKEN: 1 });
      expect((await delivery.get('/channels')).body).toHaveLength(2);

      const admin = delivery.as(await addMember(app, owner, 'admin'));
      expect((await admin.send('patch', headerPath(plain, 'X-H0'), { value: named.value })).status).toBe(200);
      expect((await admin.send('patch', headerPath(naming, 'X-H0'), { value: 'raw' })).status).toBe(200);
      expect(await references()).toEqual({ TOKEN: 1 });
    });

    it('also where the headers go; everything else of the channel is not', async () => {
      await secrets.made('TOKEN', 'value');
      const channel = await channelWith('{{secret:TOKEN}}');
      const member = delivery.as(await addMember(app, owner, 'member'));
      const elsewhere = { configuration: { url: `${receiver.url}/elsewhere` } };
      const answer = await member.send('patch', `/channels/${channel}`, elsewhere);
      expect([answer.status, answer.body]).toEqual([403, FORBIDDEN]);
      for (const change of [
        { name: 'Renamed', enabled: false },
        { enabled: true, configuration: { url: receiver.url, method: 'PUT', retry_policy: { max_attempts: 1 } } },
        { protected_headers: [{ name: 'X-Own', value: 'raw' }] },
      ])
        expect((await member.send('patch', `/channels/${channel}`, change)).status).toBe(200);
      expect((await member.send('post', `/channels/${channel}/test`)).body).toMatchObject({ ok: true });
      expect((await delivery.send('patch', `/channels/${channel}`, elsewhere)).status).toBe(200);
      expect((await member.send('delete', headerPath(channel, 'X-H0'))).status).toBe(200);
      expect(
        (await member.send('patch', `/channels/${channel}`, { configuration: { url: receiver.url } })).status,
      ).toBe(200);
    });
  });

  it('answer 503 to a test and make no attempt while encryption is switched off', async () => {
    await secrets.made('TOKEN', 'value');
    const channel = await channelWith('{{secret:TOKEN}}');
    const off = await createTestApp({
      env: { ...DELIVERY_ENV, CREDENTIAL_ENCRYPTION_KEYS: 'disabled', PROCESS_ROLE: 'all' },
      databaseUrl: app.databaseUrl,
      dataDir: app.dataDir,
    });
    try {
      const answer = await deliveryOf(off, owner).send('post', `/channels/${channel}/test`);
      expect([answer.status, answer.body]).toEqual([503, { detail: 'Protected webhook headers are unavailable' }]);
      expect((await delivery.get('/history', { channel_id: channel })).body.total).toBe(0);
    } finally {
      await off.close();
    }
  });

  it('are found in no table, log line, metric, document or answer after everything that can fail has failed', async () => {
    const marked = {
      token: 'marked+token/0123456789=&"x"',
      bad: 'marked-bad\r\n0123456789',
      refused: 'marked-refused-0123456789',
    };
    const texts: string[] = [];
    const note = (answer: Response): Response => {
      texts.push(answer.text, JSON.stringify(answer.headers));
      return answer;
    };
    const made = note(await secrets.create('TOKEN', marked.token)).body as { id: string };
    const other = note(await secrets.create('BAD', marked.bad, { description: 'no header' })).body as { id: string };
    // Refused by everybody who refuses.
    const viewer = secrets.as(await addMember(app, owner, 'viewer'));
    note(await secrets.create('TOKEN', marked.refused));
    note(await secrets.create('lower', marked.refused));
    note(await secrets.create('LONG', marked.refused.repeat(2_000)));
    note(await secrets.create('NUL', `${marked.refused}\u0000`));
    note(await viewer.create('VIEWED', marked.refused));
    note(await viewer.replace(made.id, marked.refused));
    note(await secrets.replace(made.id.replace(/^./, '0'), marked.refused));
    note(await app.request().post('/v1/secrets').send({ value: marked.refused }));
    const raw = app.request().post('/v1/secrets').set('Authorization', owner.bearer).type('json');
    note(await raw.send(`{"value": "${marked.refused}", `));
    note(await secrets.replace(made.id, marked.token));
    // Sent, echoed, refused, timed out and unbuildable.
    const channel = await channelWith('Token id:{{secret:TOKEN}}', 'x-{{secret:TOKEN}}-y');
    const forms = [
      marked.token,
      encodeURIComponent(marked.token),
      JSON.stringify(marked.token).slice(1, -1),
      Buffer.from(marked.token).toString('base64'),
      Buffer.from(marked.token).toString('base64url'),
      Buffer.from(`Token id:${marked.token}`).toString('base64'),
      Buffer.from(marked.token).toString('hex'),
      [...marked.token].map((character) => `&#${character.charCodeAt(0)};`).join(''),
      [...marked.token].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('\n'),
    ];
    for (const [at, form] of forms.entries()) {
      receiver.answer((response) => {
        response.writeHead(at % 2 === 0 ? 200 : 500, { 'Content-Type': `text/plain; a=${encodeURIComponent(form)}` });
        response.end(`got ${form} there`);
      });
      note(await delivery.send('post', `/channels/${channel}/test`));
    }
    receiver.answer((_, __, socket) => void socket.destroy());
    const lost = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(lost, ({ status }) => status === 'failed');
    note(await delivery.send('post', `/history/${lost}/retry-now`));
    await secrets.replace(made.id, marked.bad);
    const unbuilt = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(unbuilt, ({ retry_state }) => retry_state === 'terminal');
    note(await delivery.send('post', `/history/${unbuilt}/replay`));
    note(await delivery.send('patch', headerPath(channel, 'X-H0'), { value: '{{secret:BAD}}{{secret:NONE}}' }));
    await app.rows(`UPDATE project_secrets SET value = regexp_replace(value, '.$', '') WHERE id = $1`, [made.id]);
    note(await delivery.send('post', `/channels/${channel}/test`));
    note(await secrets.delete(made.id));
    note(await secrets.delete(other.id));
    note(await secrets.list());
    for (const path of ['/history', '/retry-audits', '/channels']) note(await delivery.get(path));
    note(await delivery.get(`/history/${lost}`));
    const activity = app.request().get(`/v1/projects/${owner.projectId}/activity`);
    note(await activity.set('Authorization', owner.bearer));
    const document = readFileSync(new URL('../../../docs/api/openapi.json', import.meta.url), 'utf8');
    const kept = [await everythingKept(app), ...texts, document].join('\n');
    const found = [...forms, ...Object.values(marked)].filter(
      (form) => kept.includes(form) || kept.includes(JSON.stringify(form).slice(1, -1)),
    );
    expect(found).toEqual([]);
    expect(kept).not.toMatch(/marked[+-](?:token|bad|refused)/);
  });
});
