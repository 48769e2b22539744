import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import { OnAccountDeleted } from '../../../identity/users/index.js';
import { CustomerRemovalsRepository } from './customer-removals.repository.js';

/** What somebody paid for in advance ends with their account: nobody could use or cancel it any more. */
@Injectable()
export class CustomersOfDeletedAccounts extends OnAccountDeleted {
  constructor(private readonly removals: CustomerRemovalsRepository) {
    super();
  }

  accountDeleted(userId: string, tx: Db): Promise<void> {
    return this.removals.addAllOf(userId, tx);
  }
}
