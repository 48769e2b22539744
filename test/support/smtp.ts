import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.js';

export interface TestSmtpServer {
  readonly url: string;
  /** Waits until an address has received this many mails. Returns them, the oldest first. */
  mailsTo(address: string, count: number): Promise<Email[]>;
  close(): Promise<void>;
}

/** Starts a real mail server on a free port of 127.0.0.1 that requires a name and a password. */
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
      const found = await eventually(
        () => delivered.filter(({ to }) => to.includes(address)),
        ({ length }) => length >= count,
        ({ length }) => `${length} of ${count} mails for ${address}`,
      );
      return Promise.all(found.map(({ raw }) => PostalMime.parse(raw)));
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
