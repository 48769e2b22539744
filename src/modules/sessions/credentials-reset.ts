import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Db } from '../../platform/database/database.js';
import { OnCredentialsReset } from './on-credentials-reset.js';

/** Every provider of the application that is an {@link OnCredentialsReset}. */
@Injectable()
export class CredentialsReset {
  constructor(private readonly discovery: DiscoveryService) {}

  async run(userId: string, tx: Db): Promise<void> {
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnCredentialsReset) await instance.credentialsReset(userId, tx);
  }
}
