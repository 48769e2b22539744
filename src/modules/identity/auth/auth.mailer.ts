import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Mailer } from '../../../platform/mail/index.js';

const VOID = `The address was registered more than once, with different passwords, so none of them counts. When
you have confirmed it, ask for a new password where you sign in.

`;

/** Sends the mails of this module. Links carry their token in the query. */
@Injectable()
export class AuthMailer {
  constructor(
    private readonly mailer: Mailer,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Mails the link that verifies an address. `isVoid` says that the address was registered with different passwords, so
   * that none of them is valid.
   */
  async verification(email: string, token: string, { isVoid }: { isVoid: boolean }): Promise<void> {
    const query = new URLSearchParams({ email, token }).toString();
    await this.mailer.send({
      to: email,
      subject: 'Confirm your e-mail address',
      text: `Welcome to the Operational Event Service.

Open this link within 24 hours to confirm your address:

${this.config.http.publicAppUrl}/verify-email?${query}

${isVoid ? VOID : ''}If you did not register, you need not do anything.
`,
    });
  }

  async passwordReset(email: string, token: string): Promise<void> {
    const query = new URLSearchParams({ token }).toString();
    await this.mailer.send({
      to: email,
      subject: 'Choose a new password',
      text: `Somebody, probably you, asked for a new password of the account with this address.

Open this link within an hour to choose one:

${this.config.http.publicAppUrl}/reset-password?${query}

Choosing it ends every session of the account. If it was not you, you need not do anything.
`,
    });
  }

  async alreadyRegistered(email: string): Promise<void> {
    await this.mailer.send({
      to: email,
      subject: 'You already have an account',
      text: `Somebody, probably you, tried to register an account with this address. It has one already:

${this.config.http.publicAppUrl}/login

If you have forgotten the password, ask for a new one there. If it was not you, you need not do anything.
`,
    });
  }
}
