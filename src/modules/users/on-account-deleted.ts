import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Db } from '../../platform/database/database.js';

/**
 * A module's part of an account's deletion, in the same transaction: to let go of references that no foreign key
 * cascades. Rows that cascade from `users` need nothing.
 */
export abstract class OnAccountDeleted {
  abstract accountDeleted(userId: string, tx: Db): Promise<void>;
}

/** Every provider of the application that is an {@link OnAccountDeleted}. */
@Injectable()
export class AccountDeletion {
  constructor(private readonly discovery: DiscoveryService) {}

  async run(userId: string, tx: Db): Promise<void> {
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnAccountDeleted) await instance.accountDeleted(userId, tx);
  }
}
