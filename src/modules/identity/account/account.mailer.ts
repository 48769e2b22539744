import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Mailer } from '../../../platform/mail/index.js';

/** Sends the mails of this module. */
@Injectable()
export class AccountMailer {
  constructor(
    private readonly mailer: Mailer,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async confirmNewAddress(email: string, token: string): Promise<void> {
    const query = new URLSearchParams({ token }).toString();
    await this.mailer.send({
      to: email,
      subject: 'Confirm your new e-mail address',
      text: `An account of the Operational Event Service is to be reached at this address from now on.

Open this link within an hour to confirm that:

${this.config.http.publicAppUrl}/confirm-email-change?${query}

If you did not ask for it, you need not do anything.
`,
    });
  }

  async closed(email: string): Promise<void> {
    await this.mailer.send({
      to: email,
      subject: 'Your account was closed',
      text: `Your account of the Operational Event Service was closed, and what belonged to it is deleted.

If this was not you, answer to the people who run the service at once.
`,
    });
  }
}
