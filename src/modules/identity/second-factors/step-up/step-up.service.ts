import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../../access/index.js';
import { randomToken } from '../../../../platform/crypto/index.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import {
  FreshProofService,
  IncorrectPassword,
  type ProofMethod,
  STEP_UP_SECONDS,
  StepUpTokensWriter,
} from '../../proof/index.js';
import type { Client } from '../../sessions/index.js';
import { AccountTransactions, Refused } from '../account-transactions.js';
import { type FactorAnswer, FactorAnswerVerifier } from '../challenges/factor-answer.verifier.js';
import type { CeremonyResponse } from '../passkeys/passkeys.dto.js';
import { PasskeysRepository } from '../passkeys/passkeys.repository.js';
import { RelyingPartyService } from '../passkeys/relying-party.service.js';
import { WebAuthnChallengesRepository } from '../passkeys/webauthn-challenges.repository.js';
import { NoPasskey } from '../second-factors.errors.js';
import type { StepUpRequest, StepUpResponse } from './step-up.dto.js';

/** Issues step-up tokens for sensitive changes when the user proves a factor again. */
@Injectable()
export class StepUpService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly freshProof: FreshProofService,
    private readonly tokens: StepUpTokensWriter,
    private readonly answers: FactorAnswerVerifier,
    private readonly passkeys: PasskeysRepository,
    private readonly challenges: WebAuthnChallengesRepository,
    private readonly relyingParty: RelyingPartyService,
  ) {}

  /**
   * Issues a step-up token. Every submitted factor must be valid. With `method` and no factor, the method returns the
   * options of a passkey assertion.
   */
  async stepUp(scope: UserScope, request: StepUpRequest, client: Client): Promise<StepUpResponse | CeremonyResponse> {
    const { password, method } = request;
    const answers = answersIn(scope, request);
    if (password === undefined && answers.length === 0) {
      if (method === undefined) throw nothingOffered();
      return this.options(scope);
    }
    const compared = password === undefined ? null : await this.freshProof.requirePassword(scope, password);
    const token = await this.transactions.runAs<string>(scope, client, async (act) => {
      // If the password has changed in the meantime, no token is issued, since that change has revoked all step-up
      // tokens.
      if (compared !== null && compared !== act.user.passwordHash) throw new IncorrectPassword();
      for (const answer of answers) {
        const refusal = await this.answers.judge(act, answer);
        if (refusal !== null) return new Refused(refusal);
      }
      const methods = methodsIn(request);
      await act.note('step_up_passed', { methods });
      return this.tokens.issue(scope, methods, act.tx);
    });
    return { step_up_token: token, expires_in: STEP_UP_SECONDS };
  }

  private async options({ userId, sessionId }: UserScope): Promise<CeremonyResponse> {
    const known = await this.passkeys.list(userId);
    if (known.length === 0) throw new NoPasskey();
    const token = randomToken();
    const challenge = await this.challenges.issue({ purpose: 'step_up', userId, sessionId, token });
    const options = await this.relyingParty.requestOptions(challenge, known, 'required');
    return { challenge_token: token, options: { ...options } };
  }
}

/**
 * Lists the submitted factors other than the password. A passkey must verify its user, because its token replaces the
 * password for an account without one.
 */
function answersIn({ userId, sessionId }: UserScope, request: StepUpRequest): FactorAnswer[] {
  const { code, recovery_code, credential, challenge_token: token } = request;
  const answers: FactorAnswer[] = [];
  if (code !== undefined) answers.push({ method: 'totp', code });
  if (recovery_code !== undefined) answers.push({ method: 'recovery_code', code: recovery_code });
  if (credential !== undefined) {
    const ceremony = { purpose: 'step_up', userId, sessionId, token } as const;
    const role = request.password === undefined ? 'in_session' : 'after_first_factor';
    answers.push({ method: 'passkey', offer: { credential, ceremony, userVerification: 'required', role } });
  }
  return answers;
}

function methodsIn({ password, code, recovery_code, credential }: StepUpRequest): ProofMethod[] {
  const offered: [ProofMethod, unknown][] = [
    ['password', password],
    ['totp', code],
    ['recovery_code', recovery_code],
    ['passkey', credential],
  ];
  return offered.flatMap(([method, value]) => (value === undefined ? [] : [method]));
}

function nothingOffered(): Error {
  const sentence = 'one of password, code, recovery_code or credential is needed, or method for its options';
  return brokenRule(['body'], sentence, {});
}
