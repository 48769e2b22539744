import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { OnCredentialsReset, type WayIn } from '../sessions/index.js';
import { SignInChallengesRepository } from './challenges/sign-in-challenges.repository.js';
import { ElevatedSessionsService } from './elevated-sessions.service.js';
import { FactorInventoryReader } from './factor-inventory.reader.js';
import type { Passkey } from './passkeys/passkey.entity.js';
import { PasskeysRepository } from './passkeys/passkeys.repository.js';
import { RecoveryCodesRepository } from './recovery-codes/recovery-codes.repository.js';
import { TotpRepository } from './totp/totp.repository.js';

/**
 * Handles the second factors when a password is reset. The reset leaves them as they are, except for passkeys that were
 * added without a proof, since somebody else who had the old password may have added them. The reset also ends trusted
 * devices, half-finished sign-ins and pending setups.
 */
@Injectable()
export class SecondFactorsResetHandler extends OnCredentialsReset {
  constructor(
    private readonly codes: RecoveryCodesRepository,
    private readonly challenges: SignInChallengesRepository,
    private readonly inventory: FactorInventoryReader,
    private readonly elevatedSessions: ElevatedSessionsService,
    private readonly passkeys: PasskeysRepository,
    private readonly totps: TotpRepository,
  ) {
    super();
  }

  async credentialsReset(userId: UserId, tx: Db): Promise<WayIn[]> {
    await this.elevatedSessions.endAll(userId, tx);
    await this.challenges.closeAllOf(userId, tx);
    await this.codes.remove(userId, false, tx);
    await this.totps.removePending(userId, tx);
    const passkeys = await this.passkeys.list(userId, tx);
    await this.passkeys.removeUnproven(userId, tx);
    await this.inventory.tidyWithoutDevices(userId, tx);
    const confirmedAt = await this.totps.confirmedAt(userId, tx);
    const app: WayIn[] =
      confirmedAt === null ? [] : [{ kind: 'authenticator app', addedAt: confirmedAt, removed: false, detail: {} }];
    return [...passkeys.map(wayInBy), ...app];
  }
}

function wayInBy({ id, name, createdAt, proven }: Passkey): WayIn {
  return { kind: 'passkey', addedAt: createdAt, removed: !proven, detail: { passkey_id: id, name } };
}
