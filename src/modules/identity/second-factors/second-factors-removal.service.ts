import { Injectable } from '@nestjs/common';
import type { AccountAct } from './account-transactions.js';
import { ElevatedSessionsService } from './elevated-sessions.service.js';
import { FactorInventoryReader, type Factors } from './factor-inventory.reader.js';
import { PasskeysRepository } from './passkeys/passkeys.repository.js';
import { RecoveryCodesRepository } from './recovery-codes/recovery-codes.repository.js';
import { TotpRepository } from './totp/totp.repository.js';

/** Removes every second factor of an account at once, for a user who has lost them all. */
@Injectable()
export class SecondFactorsRemovalService {
  constructor(
    private readonly inventory: FactorInventoryReader,
    private readonly elevatedSessions: ElevatedSessionsService,
    private readonly totps: TotpRepository,
    private readonly passkeys: PasskeysRepository,
    private readonly codes: RecoveryCodesRepository,
  ) {}

  /**
   * Removes the authenticator app, the passkeys and the recovery codes, also those of a pending setup, and everything
   * that they have earned: trusted devices, step-up tokens, open challenges and counted failures.
   * @returns the factors that the account had
   */
  async run(act: AccountAct): Promise<Factors> {
    const { tx, user } = act;
    const had = await this.inventory.of(user.id, tx);
    await this.totps.remove(user.id, tx);
    await this.passkeys.removeAll(user.id, tx);
    await this.codes.remove(user.id, false, tx);
    await this.elevatedSessions.endAll(user.id, tx);
    await this.inventory.tidyWithoutDevices(user.id, tx);
    return had;
  }
}
