import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../platform/access/index.js';
import { TextField } from '../../platform/http/fields/index.js';
import type { DomainError } from '../../platform/http/domain-error.js';
import { FreshProof, PasswordProofRequest, type ProofStrength } from '../proof/index.js';
import type { AccountAct } from './account-acts.js';
import type { Client } from '../sessions/index.js';
import { FactorAnswers } from './challenges/factor-answers.js';
import { type Factors, hasSecondFactor } from './factor-inventory.js';
import { InvalidAuthenticationCode } from './second-factors.errors.js';

/** The current password and, where a second factor stands, one of the codes. */
export class FactorProofRequest extends PasswordProofRequest {
  @TextField({ max: 64, optional: true, secret: true, description: 'Of the authenticator app' })
  code?: string;

  @TextField({ max: 64, optional: true, secret: true })
  recovery_code?: string;
}

/** A caller's account, the proof in the body and the `X-Step-Up-Token` header. */
export interface ProvenChange<Request> {
  readonly scope: UserScope;
  readonly request: Request;
  readonly stepUpToken: string | undefined;
  readonly client: Client;
}

/** What changes to second factors ask for: a fresh proof, and one by a second factor where one stands. */
@Injectable()
export class ChangeProof {
  constructor(
    private readonly freshProof: FreshProof,
    private readonly answers: FactorAnswers,
  ) {}

  /** Before the act, since hashing takes its time. @throws IncorrectPassword */
  ofPassword(
    scope: UserScope,
    { current_password }: PasswordProofRequest,
    stepUpToken: string | undefined,
  ): Promise<ProofStrength> {
    return this.freshProof.require(scope, { currentPassword: current_password, stepUpToken });
  }

  /** Within the act. Null when nothing more is needed or the code is good (and used up), else the refusal. */
  async ofFactor(
    act: AccountAct,
    standing: Factors,
    proof: { strength: ProofStrength; request: FactorProofRequest },
  ): Promise<DomainError | null> {
    const { code, recovery_code } = proof.request;
    if (!hasSecondFactor(standing) || proof.strength === 'both_factors') return null;
    if (code !== undefined) return this.answers.judge(act, { method: 'totp', code });
    if (recovery_code !== undefined) {
      return this.answers.judge(act, { method: 'recovery_code', code: recovery_code });
    }
    return new InvalidAuthenticationCode();
  }
}
