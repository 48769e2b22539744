import { describe, expect, it } from '@jest/globals';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { Db } from '../../platform/database/database.js';
import { AccountHooks, OnAccountDeleted, OnCredentialsReset } from './account-hooks.js';

const calls: unknown[][] = [];

class Devices extends OnCredentialsReset {
  override credentialsReset(userId: string, tx: Db): Promise<void> {
    calls.push(['reset', userId, tx]);
    return Promise.resolve();
  }
}

class Belongings extends OnAccountDeleted {
  override accountDeleted(userId: string, tx: Db): Promise<void> {
    calls.push(['deleted', userId, tx]);
    return Promise.resolve();
  }
}

describe('AccountHooks', () => {
  it('calls every provider of the application that wants to know, in the transaction of the act', async () => {
    const module = await Test.createTestingModule({
      imports: [DiscoveryModule],
      providers: [AccountHooks, Devices, Belongings],
    }).compile();
    const tx = {} as Db;
    await module.get(AccountHooks).credentialsReset('ada', tx);
    await module.get(AccountHooks).accountDeleted('bob', tx);
    expect(calls).toEqual([
      ['reset', 'ada', tx],
      ['deleted', 'bob', tx],
    ]);
  });
});
