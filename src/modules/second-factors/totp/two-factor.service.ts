import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../../platform/access/index.js';
import type { PasswordProofRequest } from '../../proof/index.js';
import type { Client } from '../../sessions/index.js';
import { type AccountAct, AccountActs, Refused } from '../account-acts.js';
import { ChangeProof, type FactorProofRequest, type ProvenChange } from '../change-proof.js';
import { FactorInventory, type Factors, hasSecondFactor } from '../factor-inventory.js';
import { RecoveryCodes } from '../recovery-codes/recovery-codes.js';
import {
  InvalidSetupCode,
  TwoFactorAlreadyEnabled,
  TwoFactorNotEnabled,
  TwoFactorNotPending,
  TwoFactorUnavailable,
} from '../second-factors.errors.js';
import { AuthenticatorApps } from './authenticator-apps.js';
import {
  type EnableTwoFactorRequest,
  type RecoveryCodesResponse,
  type TwoFactorSetupResponse,
  twoFactorStatus,
  type TwoFactorStatusResponse,
} from './two-factor.dto.js';

/** The authenticator app of an account, from setup to removal, and its recovery codes. */
@Injectable()
export class TwoFactorService {
  constructor(
    private readonly acts: AccountActs,
    private readonly proof: ChangeProof,
    private readonly inventory: FactorInventory,
    private readonly apps: AuthenticatorApps,
    private readonly recoveryCodes: RecoveryCodes,
  ) {}

  async status(scope: UserScope): Promise<TwoFactorStatusResponse> {
    return twoFactorStatus(await this.inventory.of(scope.userId));
  }

  /** A setup begun again takes the place of the pending one. Recovery codes come into force with the first code. */
  async setup(change: ProvenChange<PasswordProofRequest>): Promise<TwoFactorSetupResponse> {
    const { scope, request, stepUpToken, client } = change;
    await this.proof.ofPassword(scope, request, stepUpToken);
    if (!this.apps.isAvailable) throw new TwoFactorUnavailable();
    return this.acts.runAs(scope, client, async (act) => {
      if ((await this.inventory.of(scope.userId, act.tx)).totp) throw new TwoFactorAlreadyEnabled();
      const { secret, otpauthUrl } = await this.apps.begin(act);
      const codes = await this.recoveryCodes.prepare(act);
      await act.note('totp_setup_started');
      return { secret, otpauth_url: otpauthUrl, recovery_codes: codes };
    });
  }

  /** Wrong codes here count for no lockout: who has the pending secret can only fail at their own setup. */
  enable(scope: UserScope, { code }: EnableTwoFactorRequest, client: Client): Promise<TwoFactorStatusResponse> {
    return this.acts.runAs(scope, client, async (act) => {
      const outcome = await this.apps.confirm(act, code);
      if (outcome === 'not_pending') throw new TwoFactorNotPending();
      if (outcome === 'wrong_code') throw new InvalidSetupCode();
      await this.recoveryCodes.activate(act);
      await act.note('totp_enabled');
      return twoFactorStatus(await this.inventory.of(scope.userId, act.tx));
    });
  }

  disable(change: ProvenChange<FactorProofRequest>): Promise<TwoFactorStatusResponse> {
    return this.proven(
      change,
      ({ totp }) => totp,
      async (act) => {
        await this.apps.remove(act);
        await act.note('totp_disabled');
        return twoFactorStatus(await this.inventory.tidy(act));
      },
    );
  }

  regenerate(change: ProvenChange<FactorProofRequest>): Promise<RecoveryCodesResponse> {
    return this.proven(change, hasSecondFactor, async (act) => {
      const codes = await this.recoveryCodes.replace(act);
      await act.note('recovery_codes_regenerated');
      return { recovery_codes: codes };
    });
  }

  private async proven<T>(
    { scope, request, stepUpToken, client }: ProvenChange<FactorProofRequest>,
    stands: (factors: Factors) => boolean,
    work: (act: AccountAct) => Promise<T>,
  ): Promise<T> {
    const strength = await this.proof.ofPassword(scope, request, stepUpToken);
    return this.acts.runAs<T>(scope, client, async (act) => {
      const factors = await this.inventory.of(scope.userId, act.tx);
      if (!stands(factors)) throw new TwoFactorNotEnabled();
      const refusal = await this.proof.ofFactor(act, factors, { strength, request });
      return refusal === null ? work(act) : new Refused(refusal);
    });
  }
}
