import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { type DeliveryClient, deliveryOf, type Json, ruleMatch } from '../../support/delivery-api.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type SecretsClient, secretsOf } from '../../support/secrets-api.js';
import { job, type Tenant, tenant } from '../../support/service.js';
import { makeDue, protectedHeaders } from '../../support/sql-builders/delivery.js';
import {
  backdateSecretUse,
  deleteSecretRow,
  holdingSecret,
  secretValue,
  setSecretValue,
} from '../../support/sql-builders/entitlement.js';

const FORBIDDEN = { detail: 'Insufficient project role' };

describe('a secret in a protected header', () => {
  let acme: Tenant;
  let delivery: DeliveryClient;
  let secrets: SecretsClient;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    acme = await tenant();
    delivery = deliveryOf(acme);
    secrets = secretsOf(acme);
    receiver.answer(200);
  });
  afterAll(() => receiver.close());

  const channelWith = (...values: string[]): Promise<string> =>
    delivery.webhook(receiver.url, {
      protected_headers: values.map((value, at) => ({ name: `X-H${at}`, value })),
    });
  const received = (name = 'x-h0'): unknown => receiver.received.at(-1)?.headers[name];
  const references = async (): Promise<Record<string, number>> =>
    Object.fromEntries((await secrets.list()).body.map(({ name, references: count }: Json) => [name, count]));
  const headerPath = (channel: string, name = ''): string =>
    `/channels/${channel}/protected-headers${name && `/${name}`}`;

  it('is inserted wherever a protected value names it, and nowhere else', async () => {
    await secrets.created('USER', 'ada');
    await secrets.created('PASSWORD_1', '{{secret:USER}} %20 "quoted"');
    const channel = await delivery.webhook(receiver.url, {
      configuration: { headers: { 'X-Public': '{{secret:USER}}' } },
      protected_headers: [
        { name: 'X-H0', value: 'Basic {{secret:USER}}:{{secret:PASSWORD_1}};{{secret:USER}}' },
        { name: 'X-H1', value: '{{user}} {{ secret: USER }} {{{secret:USER}}} {{secret:USER}' },
        { name: 'X-H2', value: 'raw' },
      ],
    });
    expect((await delivery.test(channel)).ok).toBe(true);
    expect([received('x-h0'), received('x-h1'), received('x-h2'), received('x-public')]).toEqual([
      'Basic ada:{{secret:USER}} %20 "quoted";ada',
      '{{user}} ada {ada} {{secret:USER}',
      'raw',
      '{{secret:USER}}',
    ]);
    const [shown] = await delivery.channels();
    expect(shown.protected_headers.map(({ masked_value }: Json) => masked_value as string)).toEqual(
      Array(3).fill('********'),
    );
    expect(await references()).toEqual({ PASSWORD_1: 1, USER: 2 });
  });

  it('counts the headers that name it as these are added, rotated and removed, and as channels are deleted', async () => {
    for (const name of ['A', 'B', 'C']) await secrets.created(name, `value-${name}`);
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
    await delivery.test(channel);
    expect([received(), received('x-more'), received('x-new')]).toEqual(['value-B value-C', 'plain', 'value-A']);
    await delivery.send('delete', headerPath(channel, 'X-H0'));
    expect(await references()).toEqual({ A: 1, B: 0, C: 0 });
    const other = await channelWith('{{secret:C}}');
    expect((await delivery.send('delete', `/channels/${other}`)).status).toBe(204);
    expect(await references()).toEqual({ A: 1, B: 0, C: 0 });
  });

  it('is not deleted while headers name it, and the refusal lists at most 20 of them', async () => {
    const id = await secrets.created('HELD', 'value');
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
    const [first, second] = await delivery.channels();
    await delivery.send('delete', `/channels/${second.id}`);
    expect((await secrets.delete(id)).body.detail.references).toEqual(made.slice(20));
    await delivery.send('patch', headerPath(first.id as string, 'X-H0'), { value: 'plain' });
    expect((await secrets.delete(id)).status).toBe(204);
  });

  it('has to exist wherever a value that names it is set, and nothing is stored otherwise', async () => {
    await secrets.created('THERE', 'value');
    const channel = await channelWith('raw');
    const before = await protectedHeaders(acme.projectId);
    expect(before).toHaveLength(1);
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
    expect(await protectedHeaders(acme.projectId)).toEqual(before);
    expect(await delivery.channels()).toEqual([expect.objectContaining({ id: channel, name: 'Receiver' })]);
    expect(await references()).toEqual({ THERE: 0 });
  });

  it('has to result in a header value when the header is set and at each send, which fails otherwise', async () => {
    const id = await secrets.created('TOKEN', 'x'.repeat(1_024));
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
    expect([(await delivery.test(channel)).ok, String(received()).length]).toEqual([true, 2_048]);

    const arrived = receiver.received.length;
    for (const bad of ['a\r\nX-Evil: 1', 'ü', 'x'.repeat(1_025), 'x'.repeat(49_152)]) {
      expect(await secrets.replace(id, bad)).toMatchObject({ status: 200 });
      expect(await delivery.test(channel)).toMatchObject({
        ok: false,
        status: 'failed',
        failure_reason: 'protected_header_invalid',
      });
    }
    const attempt = await ruleMatch(acme, channel);
    const ended = await delivery.until(attempt, ({ status }) => status === 'failed');
    expect(ended).toMatchObject({ retry_state: 'terminal', failure_reason: 'protected_header_invalid' });
    expect(receiver.received).toHaveLength(arrived);
    await secrets.replace(id, 'good again');
    const replayed = await delivery.send('post', `/history/${attempt}/replay`);
    expect(replayed.status).toBe(200);
    await receiver.requests(arrived + 1);
    expect(received()).toBe('good againgood again');
  });

  it('is sent with its current value at each attempt, however old the delivery is', async () => {
    const id = await secrets.created('TOKEN', 'before');
    const channel = await channelWith('Bearer {{secret:TOKEN}}');
    const from = receiver.received.length;
    receiver.answer(503);
    const attempt = await ruleMatch(acme, channel);
    await delivery.until(attempt, ({ retry_state }) => retry_state === 'scheduled_retry');
    await secrets.replace(id, 'after');
    receiver.answer(200);
    await makeDue(attempt);
    await job('delivery-retries');
    await delivery.until(attempt, ({ status }) => status === 'sent');
    expect(receiver.received.slice(from).map(({ headers }) => headers['x-h0'])).toEqual([
      'Bearer before',
      'Bearer after',
    ]);
  });

  it('is sent whole while it is replaced, and with its new value after the answer', async () => {
    const id = await secrets.created('TOKEN', 'v-0');
    const channel = await channelWith('{{secret:TOKEN}}/{{secret:TOKEN}}');
    const from = receiver.received.length;
    for (let version = 1; version <= 8; version += 1) {
      const [replaced] = await Promise.all([
        secrets.replace(id, `v-${version}`),
        delivery.test(channel),
        delivery.test(channel),
      ]);
      expect(replaced.status).toBe(200);
      const during = receiver.received.slice(from).map(({ headers }) => headers['x-h0']);
      for (const value of during) expect(String(value)).toMatch(/^(v-\d+)\/\1$/);
      await delivery.test(channel);
      expect(received()).toBe(`v-${version}/v-${version}`);
    }
  });

  it('is either deleted or named when both are requested at once', async () => {
    const channel = await channelWith('raw');
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round += 1) {
      const id = await secrets.created(`RACED_${round}`, 'value');
      const remove = (): Promise<Response> => secrets.delete(id);
      const save = (): Promise<Response> =>
        delivery.send('patch', headerPath(channel, 'X-H0'), { value: `{{secret:RACED_${round}}}` });
      const [removed, saved] =
        round % 2 === 0
          ? await Promise.all([remove(), save()])
          : await Promise.all([save(), remove()]).then(([second, first]) => [first, second] as const);
      outcomes.add(`${removed.status} ${saved.status}`);
      expect(['204 422', '409 200']).toContain(`${removed.status} ${saved.status}`);
      expect((await delivery.test(channel)).ok).toBe(true);
    }
    expect(outcomes.size).toBeGreaterThan(0);
  });

  it('is not deleted when a header begins to name it during the deletion, nor in the database while a header names it', async () => {
    const id = await secrets.created('HELD', 'value');
    const channel = await channelWith('raw');
    await holdingSecret(id, async (hold) => {
      const deletion = secrets.delete(id);
      await hold.waitedFor();
      await hold.nameInHeadersOf(channel);
      await hold.commit();
      expect((await deletion).status).toBe(409);
    });
    await expect(deleteSecretRow(id)).rejects.toThrow(/fk_protected_header_secrets_secret_id/);
  });

  it('does not open as an earlier version of itself, nor in the place of another secret', async () => {
    const [first, second] = [await secrets.created('FIRST', 'first'), await secrets.created('SECOND', 'second')];
    const channel = await channelWith('{{secret:FIRST}}');
    const old = await secretValue(first);
    await secrets.replace(first, 'newer');
    for (const value of [old, await secretValue(second)]) {
      await setSecretValue(first, value);
      expect(await delivery.test(channel)).toMatchObject({ ok: false, failure_reason: 'protected_header_invalid' });
    }
    expect((await secrets.replace(first, 'repaired')).status).toBe(200);
    expect([(await delivery.test(channel)).ok, received()]).toEqual([true, 'repaired']);
  });

  it('shows when it was last used, once a minute', async () => {
    const id = await secrets.created('TOKEN', 'value');
    const lastUse = async (): Promise<string | null> => (await secrets.list()).body[0].last_used_at as string | null;
    const channel = await channelWith('{{secret:TOKEN}}');
    expect(await lastUse()).toBeNull();
    await delivery.test(channel);
    const first = await lastUse();
    expect(first).not.toBeNull();
    await delivery.test(channel);
    expect(await lastUse()).toBe(first);
    await backdateSecretUse(id);
    await Promise.all([delivery.test(channel), delivery.test(channel), delivery.test(channel)]);
    expect(Date.parse(String(await lastUse()))).toBeGreaterThanOrEqual(Date.parse(String(first)));
    expect((await secrets.list()).body[0]).toMatchObject({ version: 1 });
  });

  it('needs an admin wherever a header begins or ceases to name it', async () => {
    await secrets.created('TOKEN', 'value');
    const [plain, naming] = [await channelWith('raw'), await channelWith('{{secret:TOKEN}}')];
    const named = { name: 'X-H0', value: '{{secret:TOKEN}}' };
    const member = delivery.as(await acme.member());
    const refused = [
      await member.create({ type: 'webhook', configuration: { url: receiver.url }, protected_headers: [named] }),
      await member.send('post', headerPath(plain), { ...named, name: 'X-New' }),
      await member.send('patch', headerPath(plain, 'X-H0'), { value: named.value }),
      await member.send('patch', `/channels/${plain}`, { protected_headers: [named] }),
      // The answer does not say whether such a secret exists.
      await member.send('patch', headerPath(plain, 'X-H0'), { value: '{{secret:MISSING}}' }),
      await member.send('patch', headerPath(naming, 'X-H0'), { value: 'raw' }),
      await member.send('patch', `/channels/${naming}`, { protected_headers: [{ name: 'x-h0', value: 'raw' }] }),
    ];
    expect(refused.map(({ status, body }) => [status, body])).toEqual(refused.map(() => [403, FORBIDDEN]));
    expect(await references()).toEqual({ TOKEN: 1 });
    expect(await delivery.channels()).toHaveLength(2);

    const admin = delivery.as(await acme.admin());
    expect((await admin.send('patch', headerPath(plain, 'X-H0'), { value: named.value })).status).toBe(200);
    expect((await admin.send('patch', headerPath(naming, 'X-H0'), { value: 'raw' })).status).toBe(200);
    expect(await references()).toEqual({ TOKEN: 1 });
  });

  it('needs an admin for a new URL of its channel, and for no other change of the channel', async () => {
    await secrets.created('TOKEN', 'value');
    const channel = await channelWith('{{secret:TOKEN}}');
    const member = delivery.as(await acme.member());
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
    expect((await member.send('patch', `/channels/${channel}`, { configuration: { url: receiver.url } })).status).toBe(
      200,
    );
  });
});
