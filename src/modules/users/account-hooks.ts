import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Db } from '../../platform/database/database.js';

/** What a module does, in the same transaction, when a password was reset by mail: it may have been somebody else's. */
export abstract class OnCredentialsReset {
  abstract credentialsReset(userId: string, tx: Db): Promise<void>;
}

/**
 * What a module does, in the same transaction, before an account is deleted: let go of references that no foreign
 * key cascades. Rows that cascade from `users` need nothing.
 */
export abstract class OnAccountDeleted {
  abstract accountDeleted(userId: string, tx: Db): Promise<void>;
}

/** Calls every provider of the application that extends one of the classes above. */
@Injectable()
export class AccountHooks {
  constructor(private readonly discovery: DiscoveryService) {}

  async credentialsReset(userId: string, tx: Db): Promise<void> {
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnCredentialsReset) await instance.credentialsReset(userId, tx);
  }

  async accountDeleted(userId: string, tx: Db): Promise<void> {
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnAccountDeleted) await instance.accountDeleted(userId, tx);
  }
}
