import { Injectable } from '@nestjs/common';
import type { Db } from '../../../platform/database/database.js';
import { OnAccountDeleted, UsersRepository } from '../../identity/users/index.js';
import { InvitationsRepository } from './invitations.repository.js';

/** Invitations hold the address they were sent to, which goes with the account. */
@Injectable()
export class InvitationsOfDeletedAccounts extends OnAccountDeleted {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly users: UsersRepository,
  ) {
    super();
  }

  async accountDeleted(userId: string, tx: Db): Promise<void> {
    const user = await this.users.findById(userId, tx);
    if (user !== null) await this.invitations.forgetAddress(user.emailKey, tx);
  }
}
