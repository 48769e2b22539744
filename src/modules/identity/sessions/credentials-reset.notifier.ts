import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { OnCredentialsReset, type WayIn } from './on-credentials-reset.js';

/** Every provider of the application that is an {@link OnCredentialsReset}. */
@Injectable()
export class CredentialsResetNotifier {
  constructor(private readonly discovery: DiscoveryService) {}

  /** @returns the ways into the account that it met, oldest first */
  async run(userId: UserId, tx: Db): Promise<WayIn[]> {
    const met: WayIn[] = [];
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnCredentialsReset) met.push(...(await instance.credentialsReset(userId, tx)));
    return met.sort((a, b) => a.addedAt.getTime() - b.addedAt.getTime());
  }
}
