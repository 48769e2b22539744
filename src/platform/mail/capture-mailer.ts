import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import MimeNode from 'nodemailer/lib/mime-node';
import { type Clock, SystemClock } from '../clock/index.js';
import { newId } from '../ids/index.js';
import { sanitizeText } from '../sanitize/index.js';
import { domainOf, faultIn, type Mail, Mailer, type MailResult } from './mailer.js';

export interface CaptureMailerOptions {
  /** The folder of the messages. A missing folder is created with access for its owner only. */
  readonly dir: string;
  /** The From header: `user@domain` or `Name <user@domain>`. */
  readonly from: string;
  readonly clock?: Clock;
}

/**
 * Writes each message to `<dir>/<time>-<id>.eml` instead of sending it. Bodies are written unencoded and unwrapped
 * (8bit), so that a person can read the file and follow its links.
 */
export class CaptureMailer extends Mailer {
  private readonly clock: Clock;

  constructor(private readonly options: CaptureMailerOptions) {
    super();
    this.clock = options.clock ?? new SystemClock();
  }

  override async send(mail: Mail): Promise<MailResult> {
    const id = newId();
    const messageId = `<${id}@${domainOf(this.options.from)}>`;
    const fault = faultIn(mail);
    if (fault !== null) return { status: 'failed', transient: false, error: fault, messageId };
    const now = this.clock.now();
    const name = `${now.toISOString().replace(/[-:.]/g, '')}-${id}.eml`;
    try {
      await this.write(name, this.compose(mail, messageId, now));
      return { status: 'not_configured', messageId };
    } catch (error) {
      return {
        status: 'failed',
        transient: true,
        error: sanitizeText(`Cannot write captured mail: ${String(error)}`),
        messageId,
      };
    }
  }

  private compose(mail: Mail, messageId: string, now: Date): string {
    const node = new MimeNode('text/plain; charset=utf-8');
    node.setHeader({
      From: this.options.from,
      To: { name: '', address: mail.to },
      Subject: mail.subject,
      Date: now.toUTCString().replace('GMT', '+0000'),
      'Message-ID': messageId,
      'Auto-Submitted': 'auto-generated',
      ...mail.headers,
      'Content-Transfer-Encoding': '8bit',
    });
    return `${node.buildHeaders()}\r\n\r\n${mail.text.replace(/\r\n?|\n/g, '\r\n')}`;
  }

  /** Writes a temporary file and renames it, so that a watcher of the folder never reads an incomplete message. */
  private async write(name: string, content: string): Promise<void> {
    await mkdir(this.options.dir, { recursive: true, mode: 0o700 });
    const temporary = join(this.options.dir, `.${name}.tmp`);
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(content, 'utf8');
      } finally {
        await file.close();
      }
      await rename(temporary, join(this.options.dir, name));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}
