import { Injectable } from '@nestjs/common';
import type { DomainError } from '../../../../platform/http/domain-error.js';
import type { AccountAct } from '../account-transactions.js';
import { type AssertionOffer, PasskeyAssertionVerifier } from '../passkeys/passkey-assertion.verifier.js';
import { RecoveryCodesService } from '../recovery-codes/recovery-codes.service.js';
import { InvalidAuthenticationCode, SecondFactorLocked } from '../second-factors.errors.js';
import { AuthenticatorAppsService } from '../totp/authenticator-apps.service.js';
import { SecondFactorLockService } from './second-factor-lock.service.js';

/** One second-factor answer of a caller. */
export type FactorAnswer =
  | { readonly method: 'totp'; readonly code: string }
  | { readonly method: 'recovery_code'; readonly code: string }
  | { readonly method: 'passkey'; readonly offer: AssertionOffer };

/** Verifies second-factor answers, uses up single-use codes, and counts wrong answers. */
@Injectable()
export class FactorAnswerVerifier {
  constructor(
    private readonly apps: AuthenticatorAppsService,
    private readonly recoveryCodes: RecoveryCodesService,
    private readonly assertions: PasskeyAssertionVerifier,
    private readonly lock: SecondFactorLockService,
  ) {}

  /** Returns null for a valid answer, else the refusal. Answers are not checked while the account is locked. */
  async judge(act: AccountAct, answer: FactorAnswer): Promise<DomainError | null> {
    const locked = await this.lockOf(act);
    if (locked !== null) return locked;
    if (await this.isGood(act, answer)) {
      await this.lock.reset(act);
      return null;
    }
    await this.lock.countFailure(act, answer.method);
    return new InvalidAuthenticationCode();
  }

  async lockOf({ user, tx }: Pick<AccountAct, 'user' | 'tx'>): Promise<DomainError | null> {
    const seconds = await this.lock.secondsLeft(user.id, tx);
    return seconds === null ? null : new SecondFactorLocked(seconds);
  }

  private isGood(act: AccountAct, answer: FactorAnswer): Promise<boolean> {
    switch (answer.method) {
      case 'totp':
        return this.apps.accept(act, answer.code);
      case 'recovery_code':
        return this.recoveryCodes.accept(act, answer.code);
      case 'passkey':
        return this.assertions.accept(act, answer.offer);
    }
  }
}
