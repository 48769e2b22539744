import type { Logger } from '../telemetry/index.js';
import { type Mail, Mailer, type MailResult } from './mailer.js';

/**
 * Sends e-mails with another mailer and logs failures, because callers often do not wait for the result or ignore it.
 */
export class ReportingMailer extends Mailer {
  constructor(
    private readonly mailer: Mailer,
    private readonly logger: Logger,
  ) {
    super();
  }

  override async send(mail: Mail): Promise<MailResult> {
    const result = await this.mailer.send(mail);
    if (result.status === 'failed') {
      const { error, transient, messageId } = result;
      this.logger.error('a mail was not sent', { subject: mail.subject, error, transient, message_id: messageId });
    }
    return result;
  }

  override close(): Promise<void> {
    return this.mailer.close();
  }
}
