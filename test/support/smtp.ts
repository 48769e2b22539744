import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface TestSmtpServer {
  readonly url: string;
  /** What was delivered to an address, oldest first; waits until there is so much. */
  mailsTo(address: string, count: number): Promise<Email[]>;
  close(): Promise<void>;
}

/** A real mail server on a free port of 127.0.0.1 that asks for a name and a password. */
export async function startSmtpServer(): Promise<TestSmtpServer> {
  const delivered: { to: string[]; raw: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, callback) =>
      username === 'service' && password === 'mail-password'
        ? callback(null, { user: username })
        : callback(new Error('Invalid username or password')),
    onData(stream, session, callback) {
      text(stream).then(
        (raw) => {
          delivered.push({ raw, to: session.envelope.rcptTo.map(({ address }) => address) });
          callback();
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error('Unreadable')),
      );
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://service:mail-password@127.0.0.1:${port}`,
    mailsTo: async (address, count) => {
      for (let tries = 0; tries < 400; tries += 1) {
        const found = delivered.filter(({ to }) => to.includes(address));
        if (found.length >= count) return Promise.all(found.map(({ raw }) => PostalMime.parse(raw)));
        await pause(25);
      }
      throw new Error(`no ${count} mails for ${address}`);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
