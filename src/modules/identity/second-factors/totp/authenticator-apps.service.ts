import { Inject, Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { CONFIG, type Config } from '../../../../config/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { type CipherContext, CredentialCipher } from '../../../../platform/crypto/index.js';
import { newId } from '../../../../platform/ids/index.js';
import type { AccountAct } from '../account-transactions.js';
import { ElevatedSessionsService } from '../elevated-sessions.service.js';
import { newTotpSecret, otpauthUrl, stepOfCode } from './totp-codes.js';
import { TOTP_SECRET } from './totp-factor.entity.js';
import { type StoredTotp, TotpRepository } from './totp.repository.js';

/** Manages authenticator apps. Their secrets are stored encrypted, and each code is accepted once. */
@Injectable()
export class AuthenticatorAppsService {
  constructor(
    private readonly totps: TotpRepository,
    private readonly elevatedSessions: ElevatedSessionsService,
    private readonly cipher: CredentialCipher,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** False when no encryption key is configured for the secrets. */
  get isAvailable(): boolean {
    return this.cipher.isAvailable;
  }

  /**
   * Stores a new pending app in place of an earlier one.
   * @returns the secret that the owner types and the URL that the owner scans
   */
  async begin({ tx, user }: AccountAct): Promise<{ secret: string; otpauthUrl: string }> {
    const secret = newTotpSecret();
    const id = newId();
    await this.totps.replace(user.id, { id, secret: this.cipher.encrypt(secret, placeOf(id, user.id)) }, tx);
    return {
      secret,
      otpauthUrl: otpauthUrl({ issuer: this.config.webauthn.rpName, account: user.email, secret }),
    };
  }

  /** Confirms the pending app with its first code, which is used up. */
  async confirm(act: AccountAct, code: string): Promise<'confirmed' | 'not_pending' | 'wrong_code'> {
    const totp = await this.totps.find(act.user.id, act.tx);
    if (totp === null || totp.confirmed) return 'not_pending';
    return (await this.spend(act, totp, code)) ? 'confirmed' : 'wrong_code';
  }

  /** Accepts and uses up a valid code of the confirmed app. @returns whether the code was valid */
  async accept(act: AccountAct, code: string): Promise<boolean> {
    const totp = await this.totps.find(act.user.id, act.tx);
    return totp !== null && totp.confirmed && (await this.spend(act, totp, code));
  }

  async remove({ tx, user }: AccountAct): Promise<void> {
    await this.totps.remove(user.id, tx);
    await this.elevatedSessions.endOf(user.id, 'totp', tx);
  }

  private async spend({ tx, user }: AccountAct, totp: StoredTotp, code: string): Promise<boolean> {
    const place = placeOf(totp.id, user.id);
    const secret = this.cipher.decrypt(totp.secret, place);
    const step = await stepOfCode(secret, code, { now: this.clock.now(), afterStep: totp.lastUsedStep });
    if (step === null || !(await this.totps.spend(user.id, totp.id, step, tx))) return false;
    return true;
  }
}

function placeOf(id: string, userId: UserId): CipherContext {
  return TOTP_SECRET.placeOf({ id, tenantId: userId });
}
