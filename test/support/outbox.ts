import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { eventually } from './eventually.js';

/** Parsed mails by path. A captured mail appears complete and never changes, and tests poll for mails. */
const parsed = new Map<string, Promise<Email>>();

/** Returns the captured mails, the oldest first. */
async function capturedMails(dataDir: string): Promise<Email[]> {
  const folder = join(dataDir, 'outbox');
  const names = await readdir(folder).catch(() => [] as string[]);
  const files = names.filter((name) => name.endsWith('.eml')).sort();
  return Promise.all(files.map((name) => parsedMail(join(folder, name))));
}

function parsedMail(path: string): Promise<Email> {
  let mail = parsed.get(path);
  if (mail === undefined) {
    mail = readFile(path).then((text) => PostalMime.parse(text));
    parsed.set(path, mail);
  }
  return mail;
}

export async function mailsTo(dataDir: string, address: string): Promise<Email[]> {
  return (await capturedMails(dataDir)).filter((mail) => mail.to?.some((to) => to.address === address));
}

/** Waits until an address has this many mails. Fails after the time limit. */
export function waitForMails(dataDir: string, address: string, count: number): Promise<Email[]> {
  return eventually(
    () => mailsTo(dataDir, address),
    ({ length }) => length >= count,
    ({ length }) => `${length} of ${count} mails for ${address}`,
  );
}

/** Returns the token in the link of a mail. */
export function tokenIn(mail: Email): string {
  const link = /https?:\/\/\S+/.exec(mail.text ?? '')?.[0];
  const token = link === undefined ? null : new URL(link).searchParams.get('token');
  if (token === null) throw new Error('the mail has no link with a token');
  return token;
}
