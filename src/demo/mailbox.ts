import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DemoError } from './demo-error.js';

const POLL_MS = 100;

/** The folder in which a service without SMTP stores its mail. Mail that was there before `open` is ignored. */
export class Mailbox {
  private constructor(
    private readonly folder: string,
    private readonly old: ReadonlySet<string>,
  ) {}

  /** @throws DemoError when the folder exists and cannot be read */
  static async open(folder: string): Promise<Mailbox> {
    return new Mailbox(folder, new Set(await mailsIn(folder)));
  }

  /** Returns the verification token that was mailed to the address, or null when none has arrived in time. */
  async waitForToken(email: string, limitMs: number): Promise<string | null> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const token = await this.findToken(email);
      if (token !== null || performance.now() > deadline) return token;
      await delay(POLL_MS);
    }
  }

  private async findToken(email: string): Promise<string | null> {
    for (const name of await mailsIn(this.folder)) {
      if (this.old.has(name)) continue;
      const mail = await readFile(join(this.folder, name), 'latin1').catch(unreadable(this.folder));
      const token = mail === null ? null : verificationToken(mailText(mail), email);
      if (token !== null) return token;
    }
    return null;
  }
}

async function mailsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(unreadable(folder));
  return (names ?? []).filter((name) => name.endsWith('.eml'));
}

/** Returns an error handler that returns null when the file or folder does not exist (yet). */
function unreadable(folder: string): (error: NodeJS.ErrnoException) => null {
  return (error) => {
    if (error.code === 'ENOENT') return null;
    throw new DemoError(`The captured mail in ${folder} cannot be read: ${error.message}`);
  };
}

/**
 * Returns the text of a mail with one text/plain part in UTF-8.
 * @param mail the whole message, one character per byte (latin1)
 */
export function mailText(mail: string): string {
  const gap = /\r?\n\r?\n/.exec(mail);
  const head = mail.slice(0, gap?.index);
  const body = gap === null ? '' : mail.slice(gap.index + gap[0].length);
  const unfolded = head.replace(/\r?\n(?=[ \t])/g, '');
  const encoding = /^content-transfer-encoding:\s*([^\s;]+)/im.exec(unfolded)?.[1];
  return decode(body, encoding?.toLowerCase()).toString('utf8');
}

function decode(body: string, encoding: string | undefined): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding === 'quoted-printable') return Buffer.from(unquote(body), 'latin1');
  return Buffer.from(body, 'latin1');
}

function unquote(body: string): string {
  return body
    .replace(/[ \t]+(?=\r?\n)/g, '')
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Returns the token of the link that verifies the address, or null. The link must be followed by white space, so that a
 * mail that is still being written never yields half a token.
 */
export function verificationToken(text: string, email: string): string | null {
  for (const [link] of text.matchAll(/https?:\/\/\S+(?=\s)/g)) {
    const url = URL.parse(link);
    if (url === null || !url.pathname.endsWith('/verify-email')) continue;
    const token = url.searchParams.get('token');
    if (token && url.searchParams.get('email')?.toLowerCase() === email.toLowerCase()) return token;
  }
  return null;
}
