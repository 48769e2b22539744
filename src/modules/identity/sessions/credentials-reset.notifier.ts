import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { OnCredentialsReset, type WayIn } from './on-credentials-reset.js';

/** Calls every provider of the application that extends {@link OnCredentialsReset}. */
@Injectable()
export class CredentialsResetNotifier {
  constructor(private readonly discovery: DiscoveryService) {}

  /** @returns the factors and sign-in providers that the reset found on the account, oldest first */
  async run(userId: UserId, tx: Db): Promise<WayIn[]> {
    const met: WayIn[] = [];
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnCredentialsReset) met.push(...(await instance.credentialsReset(userId, tx)));
    return met.sort((a, b) => a.addedAt.getTime() - b.addedAt.getTime());
  }
}
