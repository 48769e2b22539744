import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  DELIVERY_ENV,
  type DeliveryClient,
  deliveryOf,
  makeDue,
  ruleMatch,
  runRetries,
} from '../../support/delivery.js';

describe('an email channel with a mail server', () => {
  let app: TestApp;
  let owner: Owner;
  let delivery: DeliveryClient;
  const delivered: { to: string; raw: string }[] = [];
  /** What the server says to an address; nothing: it takes the mail. */
  const replies = new Map<string, number>();
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    onRcptTo({ address }, _session, callback) {
      const responseCode = replies.get(address);
      if (responseCode === undefined) return callback();
      callback(Object.assign(new Error('no such luck, password=fake-reply-password'), { responseCode }));
    },
    onData(stream, session, callback) {
      void text(stream).then((raw) => {
        for (const { address } of session.envelope.rcptTo) delivered.push({ to: address, raw });
        callback();
      });
    },
  });

  beforeAll(async () => {
    server.on('error', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    app = await createTestApp({
      env: {
        ...DELIVERY_ENV,
        SMTP_URL: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
      },
    });
    owner = await ownerWithProject(app);
    delivery = deliveryOf(app, owner);
  });
  beforeEach(() => {
    replies.clear();
    delivered.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  const channel = async (to: string[]): Promise<string> => {
    const answer = await delivery.create({
      type: 'email',
      configuration: { to, retry_policy: { max_attempts: 1 } },
    });
    expect(answer.status).toBe(201);
    return answer.body.id as string;
  };
  const test = async (id: string) => (await delivery.send('post', `/channels/${id}/test`)).body;

  it('sends one mail to recipients that differ only in the case of the domain, also when a retry or a replay follows', async () => {
    const id = await channel(['i@example.com', 'i@EXAMPLE.com', 'i@Example.Com', 'I@example.com', 'j@example.com']);
    replies.set('j@example.com', 451);
    const attempt = await ruleMatch(app, owner.projectId, id);
    await delivery.until(attempt, ({ status }) => status === 'failed');
    expect(await delivery.attempt(attempt)).toMatchObject({ response_metadata: { addresses: 3, accepted: 2 } });
    replies.clear();
    await makeDue(app, attempt);
    await runRetries(app);
    await delivery.until(attempt, ({ status }) => status === 'sent');
    const mailboxes = delivered.map(({ to }) => to.replace(/@.*$/, (domain) => domain.toLowerCase()));
    expect(mailboxes.sort()).toEqual(['I@example.com', 'i@example.com', 'j@example.com']);
  });

  it('treats a reply of 4xx as transient and of 5xx as permanent', async () => {
    const id = await channel(['c@example.com']);
    replies.set('c@example.com', 451);
    const transient = await test(id);
    expect(transient).toMatchObject({
      ok: false,
      response_code: 451,
      failure_reason: expect.stringMatching(/^smtp_451: /),
    });
    expect(await delivery.attempt(transient.delivery_id)).toMatchObject({ retry_state: 'retry_exhausted' });
    replies.set('c@example.com', 550);
    const permanent = await test(id);
    expect(permanent).toMatchObject({
      ok: false,
      response_code: 550,
      failure_reason: expect.stringMatching(/^smtp_550: /),
    });
    expect(await delivery.attempt(permanent.delivery_id)).toMatchObject({ retry_state: 'terminal' });
    const rows = await app.rows<{ t: string }>('SELECT t::text FROM delivery_attempts t');
    expect(JSON.stringify([rows, transient, permanent, app.logLines])).not.toContain('fake-reply-password');
  });

  it('leaves out the addresses that have the mail in later attempts and in a replay', async () => {
    const id = await channel(['d@example.com', 'e@example.com', 'f@example.com']);
    replies.set('e@example.com', 451);
    const attempt = await ruleMatch(app, owner.projectId, id, {
      rule: { name: 'Payments\r\nBcc: evil@example.com' },
    });
    await delivery.until(attempt, ({ status }) => status === 'failed');
    const failure = await delivery.attempt(attempt);
    expect(failure).toMatchObject({ retry_state: 'scheduled_retry', response_metadata: { addresses: 3, accepted: 2 } });
    await makeDue(app, attempt);
    await runRetries(app);
    expect(await delivery.attempt(attempt)).toMatchObject({
      retry_state: 'dlq',
      failure_reason: expect.stringContaining('1 of 1'),
    });
    replies.clear();
    expect((await delivery.send('post', `/history/${attempt}/replay`)).body.replay_attempt).toMatchObject({
      status: 'sent',
    });
    expect(delivered.map(({ to }) => to).sort()).toEqual(['d@example.com', 'e@example.com', 'f@example.com']);
    const mail = await PostalMime.parse(delivered[0]!.raw);
    expect(mail.subject).toMatch(/^Alert: Payments Bcc: evil@example.com$/);
    expect(mail.text).toContain('"amount": 12');
  });
});
