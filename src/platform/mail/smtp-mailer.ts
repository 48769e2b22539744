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

/** Failures without an SMTP reply that no later try would cure. */
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
  /** Limit of each step and of the whole message, waiting for a connection included. Default 10,000. */
  readonly timeoutMs?: number;
  readonly maxConnections?: number;
}

/** Sends over a pool of connections to one SMTP server. */
export class SmtpMailer extends Mailer {
  private readonly transport: Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;
  private readonly from: string;
  private readonly timeoutMs: number;
  /** What a server might repeat in its answer and nobody may read in a result. */
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
    // An idle connection that breaks is replaced for the next message and is nobody's failure.
    this.transport.on('error', () => undefined);
  }

  override async send(mail: Mail): Promise<MailResult> {
    const messageId = `<${newId()}@${domainOf(this.from)}>`;
    const fault = faultIn(mail);
    if (fault !== null) return { status: 'failed', transient: false, error: fault, messageId };
    // Socket time-outs start anew with every byte; the signal is what ends a server that trickles.
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

  override close(): Promise<void> {
    this.transport.close();
    return Promise.resolve();
  }

  private failureOf(error: unknown, timedOut: boolean): { transient: boolean; error: string } {
    const { code, permanent, response, message } = (
      error instanceof Error ? error : new Error(String(error))
    ) as NodemailerError;
    // Its steps may take as long as the whole, and which of both is over first is chance.
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
