import { describe, expect, it } from '@jest/globals';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { asUserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { CredentialsResetNotifier } from './credentials-reset.notifier.js';
import { OnCredentialsReset, type WayIn } from './on-credentials-reset.js';

const calls: unknown[][] = [];

class Devices extends OnCredentialsReset {
  override credentialsReset(userId: string, tx: Db): Promise<WayIn[]> {
    calls.push([userId, tx]);
    return Promise.resolve([passkeyOf(2), passkeyOf(1)]);
  }
}

const passkeyOf = (day: number): WayIn => ({
  kind: 'passkey',
  addedAt: new Date(Date.UTC(2026, 0, day)),
  removed: false,
  detail: {},
});

describe('CredentialsResetNotifier', () => {
  it('calls every provider of the application that wants to know, in the transaction of the act', async () => {
    const module = await Test.createTestingModule({
      imports: [DiscoveryModule],
      providers: [CredentialsResetNotifier, Devices],
    }).compile();
    const tx = {} as Db;
    expect(await module.get(CredentialsResetNotifier).run(asUserId('ada'), tx)).toEqual([passkeyOf(1), passkeyOf(2)]);
    expect(calls).toEqual([['ada', tx]]);
  });
});
