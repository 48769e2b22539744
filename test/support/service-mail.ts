import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { eventually } from './eventually.js';
import { service } from './running-service.js';

/** The recipient by file name. A captured mail never changes, and a run writes thousands of them. */
const recipients = new Map<string, string>();

/** Waits until an address has at least `count` mails. The oldest is first. */
export function mailsTo(address: string, count = 1): Promise<Email[]> {
  return eventually(
    () => capturedMails(address),
    ({ length }) => length >= count,
    ({ length }) => `${address} has ${length} of ${count} mails`,
  );
}

/** Returns the current mails of an address. */
export async function capturedMails(address: string): Promise<Email[]> {
  const folder = join(service.dataDir, 'outbox');
  const names = (await readdir(folder).catch(() => [] as string[])).filter((name) => name.endsWith('.eml')).sort();
  const mails: Email[] = [];
  for (const name of names) {
    if ((recipients.get(name) ?? address) !== address) continue;
    const text = await readFile(join(folder, name), 'utf8');
    const recipient = /^To: (.*)$/m.exec(text)?.[1]?.trim() ?? '';
    recipients.set(name, recipient);
    if (recipient === address) mails.push(await PostalMime.parse(text));
  }
  return mails;
}

/** Returns the token in the link of a mail. */
export function tokenIn(mail: Email): string {
  const link = /https?:\/\/\S+/.exec(mail.text ?? '')?.[0];
  const token = link === undefined ? null : new URL(link).searchParams.get('token');
  if (token === null) throw new Error('the mail has no link with a token');
  return token;
}
