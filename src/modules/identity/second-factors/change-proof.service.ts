import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import { TextField } from '../../../platform/http/validation/index.js';
import type { DomainError } from '../../../platform/http/domain-error.js';
import { FreshProofService, PasswordProofRequest, type ShownProof } from '../proof/index.js';
import type { Client } from '../sessions/index.js';
import { type AccountAct, AccountTransactions, type LockFirst, Refused } from './account-transactions.js';
import { FactorAnswerVerifier } from './challenges/factor-answer.verifier.js';
import { FactorInventoryReader, type Factors, hasSecondFactor } from './factor-inventory.reader.js';
import { SecondFactorRequired } from './second-factors.errors.js';

/** The sentence in the API description of routes that require this proof. */
export const CHANGE_PROOF =
  'Takes `current_password` and, where a second factor stands, also `code` or `recovery_code`; a step-up token brings what was shown for it.';

/** The current password and, where the account has a second factor, one of its codes. */
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

/** A requested change: the caller, the proof in the body and the `X-Step-Up-Token` header. */
export interface ProvenChange {
  readonly scope: UserScope;
  readonly request: FactorProofRequest;
  readonly stepUpToken: string | undefined;
  readonly client: Client;
}

type ChangeWork<T> = (act: AccountAct, standing: Factors) => Promise<T | Refused>;

export interface Circumstances {
  readonly lockFirst?: LockFirst;
  /**
   * Throws when the account's factors leave nothing to change. It is called before a code is required, so that no code
   * is used up for nothing.
   */
  readonly allow?: (standing: Factors) => void;
}

/**
 * Checks the proof that an account's deletion and changes of its address, password and factors require: a fresh proof
 * and, where the account has a second factor, that factor too. The body and the step-up token may each supply a part.
 */
@Injectable()
export class ChangeProofService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly freshProof: FreshProofService,
    private readonly inventory: FactorInventoryReader,
    private readonly answers: FactorAnswerVerifier,
  ) {}

  /**
   * Checks the whole proof and runs the change. The second factor is checked in the transaction of the change, so that
   * a code is used up only with the change.
   */
  async run<T>(change: ProvenChange, work: ChangeWork<T>, more: Circumstances = {}): Promise<T> {
    return this.complete(change, await this.begin(change), work, more);
  }

  /** Checks the whole proof for a change that follows later. */
  async require(change: ProvenChange, more: Circumstances = {}): Promise<void> {
    await this.run<null>(change, () => Promise.resolve(null), more);
  }

  /**
   * Checks the first part of the proof. This happens before the transaction, since hashing takes long.
   * @throws IncorrectPassword, FreshSignInRequired
   */
  begin({ scope, request, stepUpToken }: ProvenChange): Promise<ShownProof> {
    return this.freshProof.require(scope, { currentPassword: request.current_password, stepUpToken });
  }

  /**
   * Checks the second part of the proof and runs the change in the same transaction.
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
    return this.transactions.runAs<T>(scope, client, provenWork, lockFirst);
  }

  /** Uses up a valid code and returns null, or returns the refusal. */
  private judge(act: AccountAct, { code, recovery_code }: FactorProofRequest): Promise<DomainError | null> {
    if (code !== undefined) return this.answers.judge(act, { method: 'totp', code });
    if (recovery_code !== undefined) return this.answers.judge(act, { method: 'recovery_code', code: recovery_code });
    return Promise.resolve(new SecondFactorRequired());
  }
}
