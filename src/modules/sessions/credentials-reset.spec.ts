import { describe, expect, it } from '@jest/globals';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { Db } from '../../platform/database/database.js';
import { CredentialsReset } from './credentials-reset.js';
import { OnCredentialsReset } from './on-credentials-reset.js';

const calls: unknown[][] = [];

class Devices extends OnCredentialsReset {
  override credentialsReset(userId: string, tx: Db): Promise<void> {
    calls.push([userId, tx]);
    return Promise.resolve();
  }
}

describe('CredentialsReset', () => {
  it('calls every provider of the application that wants to know, in the transaction of the act', async () => {
    const module = await Test.createTestingModule({
      imports: [DiscoveryModule],
      providers: [CredentialsReset, Devices],
    }).compile();
    const tx = {} as Db;
    await module.get(CredentialsReset).run('ada', tx);
    expect(calls).toEqual([['ada', tx]]);
  });
});
