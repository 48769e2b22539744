import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import { TextField } from '../../../platform/http/fields/index.js';
import type { DomainError } from '../../../platform/http/domain-error.js';
import { FreshProofService, PasswordProofRequest, type ShownProof } from '../proof/index.js';
import type { Client } from '../sessions/index.js';
import { type AccountAct, AccountActsService, type LockFirst, Refused } from './account-acts.service.js';
import { FactorAnswerVerifier } from './challenges/factor-answer.verifier.js';
import { FactorInventoryReader, type Factors, hasSecondFactor } from './factor-inventory.reader.js';
import { SecondFactorRequired } from './second-factors.errors.js';

/** What the routes say of the proof they ask for. */
export const CHANGE_PROOF =
  'Takes `current_password` and, where a second factor stands, also `code` or `recovery_code`; a step-up token brings what was shown for it.';

/** The current password and, where a second factor stands, one of the codes. */
export class FactorProofRequest extends PasswordProofRequest {
  @TextField({
    max: 64,
    optional: true,
    secret: true,
    description: 'Of the authenticator app; where a second factor stands and the step-up token has not shown one',
  })
  code?: string;

  @TextField({ max: 64, optional: true, secret: true, description: 'In place of the code' })
  recovery_code?: string;
}

/** A caller's account, the proof in the body and the `X-Step-Up-Token` header. */
export interface ProvenChange {
  readonly scope: UserScope;
  readonly request: FactorProofRequest;
  readonly stepUpToken: string | undefined;
  readonly client: Client;
}

type ChangeWork<T> = (act: AccountAct, standing: Factors) => Promise<T | Refused>;

export interface Circumstances {
  readonly lockFirst?: LockFirst;
  /** Throws where the standing factors leave nothing to change, so that no code is asked for and used up in vain. */
  readonly allow?: (standing: Factors) => void;
}

/**
 * What changes of address, password and factors and the deletion of an account ask for (DECISIONS 2): a fresh proof
 * and, where a second factor stands, that factor too. The body and the step-up token may each bring a part.
 */
@Injectable()
export class ChangeProofService {
  constructor(
    private readonly acts: AccountActsService,
    private readonly freshProof: FreshProofService,
    private readonly inventory: FactorInventoryReader,
    private readonly answers: FactorAnswerVerifier,
  ) {}

  /** The whole proof and the change, which is then one act with the code that is used up. */
  async run<T>(change: ProvenChange, work: ChangeWork<T>, more: Circumstances = {}): Promise<T> {
    return this.complete(change, await this.begin(change), work, more);
  }

  /** The whole proof alone, for a change that follows it. */
  async require(change: ProvenChange, more: Circumstances = {}): Promise<void> {
    await this.run<null>(change, () => Promise.resolve(null), more);
  }

  /** The first part, before the act, since hashing takes its time. @throws IncorrectPassword, FreshSignInRequired */
  begin({ scope, request, stepUpToken }: ProvenChange): Promise<ShownProof> {
    return this.freshProof.require(scope, { currentPassword: request.current_password, stepUpToken });
  }

  /**
   * The second part, and the change in the same act.
   * @throws SecondFactorRequired, InvalidAuthenticationCode, SecondFactorLocked
   */
  complete<T>(
    { scope, request, client }: ProvenChange,
    shown: ShownProof,
    work: ChangeWork<T>,
    { lockFirst, allow }: Circumstances = {},
  ): Promise<T> {
    const provenWork = async (act: AccountAct): Promise<T | Refused> => {
      await this.freshProof.requireStillHolds(scope, act.user, shown, act.tx);
      const standing = await this.inventory.of(scope.userId, act.tx);
      allow?.(standing);
      const isNeeded = hasSecondFactor(standing) && !shown.showsSecondFactor;
      const refusal = isNeeded ? await this.judge(act, request) : null;
      return refusal === null ? work(act, standing) : new Refused(refusal);
    };
    return this.acts.runAs<T>(scope, client, provenWork, lockFirst);
  }

  /** Null when the code is good, which uses it up; else the refusal. */
  private judge(act: AccountAct, { code, recovery_code }: FactorProofRequest): Promise<DomainError | null> {
    if (code !== undefined) return this.answers.judge(act, { method: 'totp', code });
    if (recovery_code !== undefined) return this.answers.judge(act, { method: 'recovery_code', code: recovery_code });
    return Promise.resolve(new SecondFactorRequired());
  }
}
