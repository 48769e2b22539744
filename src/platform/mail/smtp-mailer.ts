import {
  createTransport,
  type NodemailerError,
  type SMTPPoolOptions,
  type SMTPPoolSentMessageInfo,
  type Transporter,
} from 'nodemailer';
import { newId } from '../ids/index.js';
import { sanitizeText } from '../sanitize/index.js';
import { domainOf, faultIn, type Mail, Mailer, type MailResult } from './mailer.js';
import { asError } from '../errors/index.js';

/** Failures without an SMTP reply that would also occur in a later attempt. */
const PERMANENT_CODES = new Set([
  'EENVELOPE',
  'EMESSAGE',
  'EAUTH',
  'ENOAUTH',
  'ECONFIG',
  'EREQUIRETLS',
  'EMAXRECIPIENTS',
]);

export interface SmtpMailerOptions {
  /** `smtp://user:pass@host:port` (STARTTLS where offered) or `smtps://…`. */
  readonly url: string;
  /** The From header: `user@domain` or `Name <user@domain>`. */
  readonly from: string;
  /** The time limit of each step and of the whole message, including the wait for a connection. Default 10,000. */
  readonly timeoutMs?: number;
  readonly maxConnections?: number;
}

/** Sends mails over a pool of connections to one SMTP server. */
export class SmtpMailer extends Mailer {
  private readonly transport: Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;
  private readonly from: string;
  private readonly timeoutMs: number;
  /** Secrets that must not appear in results, even if the server repeats them in a reply. */
  private readonly secrets: readonly string[];

  constructor(options: SmtpMailerOptions) {
    super();
    this.from = options.from;
    this.timeoutMs = options.timeoutMs ?? 10_000;
    this.secrets = secretsIn(options.url);
    this.transport = createTransport({
      url: options.url,
      pool: true,
      maxConnections: options.maxConnections ?? 4,
      maxRequeues: 1,
      connectionTimeout: this.timeoutMs,
      greetingTimeout: this.timeoutMs,
      socketTimeout: this.timeoutMs,
      dnsTimeout: this.timeoutMs,
      socketCloseTimeout: 1_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // A broken idle connection is replaced for the next message, so its error is ignored.
    this.transport.on('error', () => undefined);
  }

  override async send(mail: Mail): Promise<MailResult> {
    const messageId = `<${newId()}@${domainOf(this.from)}>`;
    const fault = faultIn(mail);
    if (fault !== null) return { status: 'failed', transient: false, error: fault, messageId };
    // A socket timeout starts again with every byte. The signal also ends the exchange with a server that sends bytes
    // slowly.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.timeoutMs);
    try {
      await this.transport.sendMail({
        from: this.from,
        to: { name: '', address: mail.to },
        subject: mail.subject,
        text: mail.text,
        messageId,
        headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers },
        signal: deadline.signal,
      });
      return { status: 'sent', messageId };
    } catch (error) {
      return { status: 'failed', ...this.failureOf(error, deadline.signal.aborted), messageId };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Connects to the server and authenticates, but sends no e-mail. @returns what is wrong, or null */
  async check(): Promise<string | null> {
    try {
      await this.transport.verify();
      return null;
    } catch (error) {
      return this.failureOf(error, false).error;
    }
  }

  override close(): Promise<void> {
    this.transport.close();
    return Promise.resolve();
  }

  private failureOf(error: unknown, timedOut: boolean): { transient: boolean; error: string } {
    const { code, permanent, response, message } = asError(error) as NodemailerError;
    // Each step has the same time limit as the whole message, so either timeout may fire first.
    if (timedOut || code === 'ETIMEDOUT') return { transient: true, error: 'The mail server did not answer in time' };
    const transient = permanent === undefined ? !PERMANENT_CODES.has(code ?? '') : !permanent;
    return { transient, error: sanitizeText(response ?? message, this.secrets) };
  }
}

function secretsIn(url: string): string[] {
  const { username, password } = new URL(url);
  const [user = '', pass = ''] = [username, password].map((part) => decodeURIComponent(part));
  return pass === '' ? [] : [pass, `\u0000${user}\u0000${pass}`];
}
