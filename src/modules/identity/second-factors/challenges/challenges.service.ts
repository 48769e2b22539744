import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { sha256 } from '../../../../platform/crypto/index.js';
import { NotAuthenticated } from '../../../../platform/http/domain-error.js';
import type { Client } from '../../sessions/index.js';
import { type AccountAct, AccountTransactions, Refused } from '../account-transactions.js';
import { InvalidChallenge } from '../second-factors.errors.js';
import { TrustedDevicesService } from '../trusted-devices/trusted-devices.service.js';
import type {
  SignedInResponse,
  VerifyPasskeyRequest,
  VerifyRecoveryCodeRequest,
  VerifyTotpRequest,
} from './challenges.dto.js';
import { type FactorAnswer, FactorAnswerVerifier } from './factor-answer.verifier.js';
import { PassedChallengesService, type WhenOpened } from './passed-challenges.service.js';
import { OpenChallengesService } from './open-challenges.service.js';
import { SignInGateService } from './sign-in-gate.service.js';
import { type FirstFactor, SignInChallengesRepository, stillHolds } from './sign-in-challenges.repository.js';

type RememberingAnswer = Pick<VerifyTotpRequest, 'challenge_token' | 'remember_device'>;

interface Passed {
  readonly first: FirstFactor;
  readonly deviceToken: string | undefined;
  readonly opened: WhenOpened;
}

/** Checks answers to sign-in challenges. A challenge admits one sign-in and ends after five wrong answers. */
@Injectable()
export class ChallengesService {
  constructor(
    private readonly open: OpenChallengesService,
    private readonly transactions: AccountTransactions,
    private readonly challenges: SignInChallengesRepository,
    private readonly answers: FactorAnswerVerifier,
    private readonly passed: PassedChallengesService,
    private readonly devices: TrustedDevicesService,
    private readonly gate: SignInGateService,
  ) {}

  verifyTotp(request: VerifyTotpRequest, client: Client): Promise<SignedInResponse> {
    return this.verify(request, () => ({ method: 'totp', code: request.code }), client);
  }

  verifyRecoveryCode(request: VerifyRecoveryCodeRequest, client: Client): Promise<SignedInResponse> {
    return this.verify(request, () => ({ method: 'recovery_code', code: request.recovery_code }), client);
  }

  /** Checks a passkey. Possession of the passkey is enough here, since the first factor was shown before. */
  verifyPasskey(request: VerifyPasskeyRequest, client: Client): Promise<SignedInResponse> {
    const { credential, challenge_token: token } = request;
    const answer = (userId: UserId): FactorAnswer => ({
      method: 'passkey',
      offer: {
        credential,
        ceremony: { purpose: 'second_factor', userId, sessionId: null, token },
        userVerification: 'preferred',
        role: 'after_first_factor',
      },
    });
    return this.verify(request, answer, client);
  }

  /**
   * Checks an answer. If the account is deleted or disabled or its password changed in the meantime, the caller gets
   * the same error as for an expired challenge.
   */
  private async verify(
    request: RememberingAnswer,
    answerOf: (userId: UserId) => FactorAnswer,
    client: Client,
  ): Promise<SignedInResponse> {
    try {
      return await this.pass(request, answerOf, client);
    } catch (error) {
      throw error instanceof NotAuthenticated ? new InvalidChallenge() : error;
    }
  }

  private async pass(
    request: RememberingAnswer,
    answerOf: (userId: UserId) => FactorAnswer,
    client: Client,
  ): Promise<SignedInResponse> {
    const { challenge_token: token, remember_device: remember } = request;
    const { userId } = await this.open.get(token);
    const work = async (act: AccountAct): Promise<Passed | Refused> => {
      // The challenge is read again with the account's row locked, since a parallel answer may have closed it or used
      // its last attempt.
      const challenge = await this.challenges.find(token, act.tx);
      if (challenge === null || !stillHolds(challenge, act.user)) throw new InvalidChallenge();
      const refusal = await this.answers.judge(act, answerOf(userId));
      if (refusal !== null) {
        await this.challenges.countWrongAnswer(token, act.tx);
        return new Refused(refusal);
      }
      const opened = await this.passed.run(sha256(token), act);
      await this.challenges.close(token, act.tx);
      if (opened === null) return new Refused(new InvalidChallenge());
      const comparedHash = challenge.comparedHashDigest === null ? undefined : (act.user.passwordHash ?? undefined);
      return {
        first: { method: challenge.method, comparedHash },
        deviceToken: remember ? await this.devices.trust(act) : undefined,
        opened,
      };
    };
    const passed = await this.transactions.run<Passed>(userId, client, work, (tx) =>
      this.passed.lockFirst(sha256(token), tx),
    );
    return this.gate.signedIn(userId, passed.first, client, passed);
  }
}
