import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SmtpMailer } from './smtp-mailer.js';

const from = 'Service <no-reply@service.example>';
const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Body' };
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function mailerAt(authority: string, timeoutMs = 10_000): SmtpMailer {
  const mailer = new SmtpMailer({ url: `smtp://${authority}`, from, timeoutMs });
  cleanups.push(() => mailer.close());
  return mailer;
}

async function smtpServer(
  options: SMTPServerOptions = {},
): Promise<{ port: number; received: { raw: string; recipients: string[] }[] }> {
  const received: { raw: string; recipients: string[] }[] = [];
  const server = new SMTPServer({
    disabledCommands: options.onAuth === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    allowInsecureAuth: true,
    onData(stream, session, callback) {
      readAll(stream).then(
        (raw) => {
          received.push({ raw, recipients: session.envelope.rcptTo.map((recipient) => recipient.address) });
          callback();
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error('Unreadable')),
      );
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  cleanups.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, received };
}

/** Starts a server that sends only what `onConnection` writes. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<{ port: number; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, server };
}

function reply(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

describe('SmtpMailer', () => {
  it('delivers UTF-8 text and long links unharmed, as one text/plain part', async () => {
    const { port, received } = await smtpServer();
    const link = `https://app.example/reset-password?email=ada%40example.com&token=${'Zz09-_='.repeat(50)}`;
    const text = `Grüße 👋\n\n${link}\n\n. dot\n${'ein langes Wort '.repeat(20)}\n`;
    const result = await mailerAt(`127.0.0.1:${port}`).send({
      ...mail,
      subject: 'Passwort zurücksetzen',
      text,
      headers: { 'X-Trace': 'abc' },
    });

    expect(result).toEqual({ status: 'sent', messageId: expect.stringMatching(/^<[0-9a-f-]{36}@service\.example>$/) });
    expect(received).toHaveLength(1);
    expect(received[0]?.recipients).toEqual(['ada@example.com']);
    const parsed = await PostalMime.parse(received[0]?.raw ?? '');
    expect(parsed.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(text.trimEnd());
    expect(parsed).toMatchObject({
      from: { name: 'Service', address: 'no-reply@service.example' },
      subject: 'Passwort zurücksetzen',
      messageId: result.messageId,
      attachments: [],
    });
    expect(parsed.html).toBeUndefined();
    expect(parsed.headers).toContainEqual(expect.objectContaining({ key: 'x-trace', value: 'abc' }));
    expect(parsed.headers).toContainEqual(
      expect.objectContaining({ key: 'content-type', value: 'text/plain; charset=utf-8' }),
    );
  });

  it('delivers many mails at once over its pool', async () => {
    const { port, received } = await smtpServer();
    const mailer = mailerAt(`127.0.0.1:${port}`);
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => mailer.send({ ...mail, subject: `n${i}` })));
    expect(results.every((result) => result.status === 'sent')).toBe(true);
    expect(received).toHaveLength(20);
  });

  it('calls a 4xx answer transient and a 5xx answer permanent', async () => {
    for (const [code, transient] of [
      [451, true],
      [421, true],
      [550, false],
      [552, false],
    ] as const) {
      const { port } = await smtpServer({
        onRcptTo: (_address, _session, callback) => callback(reply(code, 'Not now')),
      });
      const result = await mailerAt(`127.0.0.1:${port}`).send(mail);
      expect(result).toMatchObject({ status: 'failed', transient, error: expect.stringContaining(String(code)) });
    }
  });

  it('keeps working after a refused message', async () => {
    const { port, received } = await smtpServer({
      onRcptTo: (address, _session, callback) =>
        callback(address.address.startsWith('gone') ? reply(550, 'No such user') : null),
    });
    const mailer = mailerAt(`127.0.0.1:${port}`);
    await expect(mailer.send({ ...mail, to: 'gone@example.com' })).resolves.toMatchObject({
      status: 'failed',
      transient: false,
    });
    await expect(mailer.send(mail)).resolves.toMatchObject({ status: 'sent' });
    expect(received).toHaveLength(1);
  });

  it('signs in with the percent-encoded user and password of the URL', async () => {
    let seen: unknown[] = [];
    const { port } = await smtpServer({
      onAuth: (auth, _session, callback) => {
        seen = [auth.username, auth.password];
        callback(null, { user: 'ok' });
      },
    });
    await expect(mailerAt(`post%40office:p%2Fss%3Aw@127.0.0.1:${port}`).send(mail)).resolves.toMatchObject({
      status: 'sent',
    });
    expect(seen).toEqual(['post@office', 'p/ss:w']);
  });

  it('never repeats the password, also when the server does', async () => {
    const { port } = await smtpServer({
      onAuth: (auth, _session, callback) => callback(reply(535, `Bad login ${auth.username} with ${auth.password}`)),
    });
    const result = await mailerAt(`bob:correct-horse-9@127.0.0.1:${port}`).send(mail);
    expect(result).toMatchObject({ status: 'failed', transient: false, error: expect.stringContaining('[redacted]') });
    expect(JSON.stringify(result)).not.toContain('correct-horse-9');
  });

  it('reports a refused connection as transient', async () => {
    const { port, server } = await rawServer(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const result = await mailerAt(`127.0.0.1:${port}`).send(mail);
    expect(result).toMatchObject({ status: 'failed', transient: true, error: expect.stringContaining('ECONNREFUSED') });
  });

  it('gives up on a server that accepts and stays silent', async () => {
    const { port } = await rawServer(() => undefined);
    const result = await mailerAt(`127.0.0.1:${port}`, 150).send(mail);
    expect(result).toMatchObject({
      status: 'failed',
      transient: true,
      error: 'The mail server did not answer in time',
    });
  });

  it('gives up on a server that trickles lines for ever', async () => {
    const { port } = await rawServer((socket) => {
      const timer = setInterval(() => socket.write('220-still busy\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const result = await mailerAt(`127.0.0.1:${port}`, 200).send(mail);
    expect(result).toMatchObject({
      status: 'failed',
      transient: true,
      error: 'The mail server did not answer in time',
    });
  });

  it('refuses header injection without talking to the server', async () => {
    const { port, received } = await smtpServer();
    const mailer = mailerAt(`127.0.0.1:${port}`);
    for (const change of [
      { subject: 's\r\nBcc: eve@example.com' },
      { to: 'ada@example.com\r\nRCPT TO:<eve@example.com>' },
      { to: 'a@example.com,b@example.com' },
    ]) {
      await expect(mailer.send({ ...mail, ...change })).resolves.toMatchObject({ status: 'failed', transient: false });
    }
    expect(received).toEqual([]);
  });

  it('keeps body lines out of the headers', async () => {
    const { port, received } = await smtpServer();
    await mailerAt(`127.0.0.1:${port}`).send({
      ...mail,
      text: 'Bcc: eve@example.com\r\n.\r\nMAIL FROM:<eve@example.com>\r\n',
    });
    expect(received.map((message) => message.recipients)).toEqual([['ada@example.com']]);
    const parsed = await PostalMime.parse(received[0]?.raw ?? '');
    expect(parsed.bcc).toBeUndefined();
    expect(parsed.text).toContain('MAIL FROM:<eve@example.com>');
  });
});
