import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { MailedTokensService } from '../auth/index.js';
import { AccountTransactions, ChangeProofService, type ProvenChange } from '../second-factors/index.js';
import { emailKeyOf, PasswordPolicy, UsersReader } from '../users/index.js';
import { AccountMailer } from './account.mailer.js';

const LIFE_SECONDS = 3600;
/**
 * Maximum mails per account and hour: enough to correct typing errors, useless for spam. Beyond the maximum no mail is
 * sent.
 */
const MOST_MAILS = 5;

/** Starts an address change by mailing a token to the new address. */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly proof: ChangeProofService,
    private readonly transactions: AccountTransactions,
    private readonly tokens: MailedTokensService,
    private readonly users: UsersReader,
    private readonly mails: AccountMailer,
    private readonly background: BackgroundWork,
  ) {}

  /**
   * Requests an address change. The new address is looked up only after the response, so that neither the response nor
   * its time reveals whether the address is in use.
   * @throws ProviderSignInRequired before the proof is checked, so that no code is used up for a request that fails
   */
  async request(change: ProvenChange, email: string): Promise<void> {
    this.policy.requireAllowed(email);
    await this.proof.require(change);
    const share = change.scope.userId;
    this.background.start('request', {
      name: 'e-mail change',
      key: `e-mail change of ${share} to ${emailKeyOf(email)}`,
      share,
      work: async () => {
        const token = await this.prepare(change, email);
        if (token === null) return;
        const work = (): Promise<void> => this.mails.confirmNewAddress(email, token);
        this.background.start('mail', { name: 'mail to a new address', share, work });
      },
    });
  }

  /** @returns the token to mail, or null when no mail is due */
  private prepare({ scope, client }: ProvenChange, email: string): Promise<string | null> {
    return this.transactions.runAs<string | null>(scope, client, async ({ tx, user, note }) => {
      const wanted = { purpose: 'change_email', lifeSeconds: LIFE_SECONDS, email, most: MOST_MAILS } as const;
      const token = await this.tokens.replace(user.id, wanted, tx);
      if (token === null) return null;
      await note('email_change_requested', { email });
      const holder = await this.users.findByEmail(email, tx);
      return holder === null || holder.id === user.id ? token : null;
    });
  }
}
