import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../../access/index.js';
import type { Client } from '../../sessions/index.js';
import { type AccountAct, AccountTransactions } from '../account-transactions.js';
import { ChangeProofService, type ProvenChange } from '../change-proof.service.js';
import { FactorInventoryReader, type Factors, hasSecondFactor } from '../factor-inventory.reader.js';
import { RecoveryCodesService } from '../recovery-codes/recovery-codes.service.js';
import {
  InvalidSetupCode,
  TwoFactorAlreadyEnabled,
  TwoFactorNotEnabled,
  TwoFactorNotPending,
  TwoFactorUnavailable,
} from '../second-factors.errors.js';
import { AuthenticatorAppsService } from './authenticator-apps.service.js';
import {
  type EnableTwoFactorRequest,
  type RecoveryCodesResponse,
  type TwoFactorSetupResponse,
  twoFactorStatus,
  type TwoFactorStatusResponse,
} from './two-factor.dto.js';

/** Sets up, confirms and removes the authenticator app of an account, and manages its recovery codes. */
@Injectable()
export class TwoFactorService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly proof: ChangeProofService,
    private readonly inventory: FactorInventoryReader,
    private readonly apps: AuthenticatorAppsService,
    private readonly recoveryCodes: RecoveryCodesService,
  ) {}

  async status(scope: UserScope): Promise<TwoFactorStatusResponse> {
    return twoFactorStatus(await this.inventory.of(scope.userId));
  }

  /**
   * Starts the setup of an authenticator app, replacing a pending setup. The recovery codes become active with the
   * first code.
   */
  setup(change: ProvenChange): Promise<TwoFactorSetupResponse> {
    const begin = async (act: AccountAct): Promise<TwoFactorSetupResponse> => {
      const { secret, otpauthUrl } = await this.apps.begin(act);
      const codes = await this.recoveryCodes.prepare(act);
      await act.note('totp_setup_started');
      return { secret, otpauth_url: otpauthUrl, recovery_codes: codes };
    };
    const allow = ({ totp }: Factors): void => {
      if (!this.apps.isAvailable) throw new TwoFactorUnavailable();
      if (totp) throw new TwoFactorAlreadyEnabled();
    };
    return this.proof.run(change, begin, { allow });
  }

  /**
   * Confirms the pending setup. Wrong codes do not count towards the lock, since whoever has the pending secret can
   * only fail at their own setup.
   */
  enable(scope: UserScope, { code }: EnableTwoFactorRequest, client: Client): Promise<TwoFactorStatusResponse> {
    return this.transactions.runAs(scope, client, async (act) => {
      const outcome = await this.apps.confirm(act, code);
      if (outcome === 'not_pending') throw new TwoFactorNotPending();
      if (outcome === 'wrong_code') throw new InvalidSetupCode();
      await this.recoveryCodes.activate(act);
      await act.note('totp_enabled');
      return twoFactorStatus(await this.inventory.of(scope.userId, act.tx));
    });
  }

  disable(change: ProvenChange): Promise<TwoFactorStatusResponse> {
    const disable = async (act: AccountAct): Promise<TwoFactorStatusResponse> => {
      await this.apps.remove(act);
      await act.note('totp_disabled');
      return twoFactorStatus(await this.inventory.tidy(act));
    };
    return this.proof.run(change, disable, { allow: ({ totp }) => requireEnabled(totp) });
  }

  regenerate(change: ProvenChange): Promise<RecoveryCodesResponse> {
    const regenerate = async (act: AccountAct): Promise<RecoveryCodesResponse> => {
      const codes = await this.recoveryCodes.replace(act);
      await act.note('recovery_codes_regenerated');
      return { recovery_codes: codes };
    };
    return this.proof.run(change, regenerate, { allow: (standing) => requireEnabled(hasSecondFactor(standing)) });
  }
}

function requireEnabled(isEnabled: boolean): void {
  if (!isEnabled) throw new TwoFactorNotEnabled();
}
