import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { NotAuthenticated } from '../../../../platform/http/domain-error.js';
import { type Client, SessionsService } from '../../sessions/index.js';
import { type AccountAct, AccountTransactions, Refused } from '../account-transactions.js';
import { FactorInventoryReader, type Factors, hasSecondFactor, methodsOf } from '../factor-inventory.reader.js';
import { TrustedDevicesService } from '../trusted-devices/trusted-devices.service.js';
import type { MfaChallengeResponse, SignedInResponse } from './challenges.dto.js';
import { type FactorAnswer, FactorAnswerVerifier } from './factor-answer.verifier.js';
import type { WhenOpened } from './passed-challenges.service.js';
import { CHALLENGE_SECONDS, type FirstFactor, SignInChallengesRepository } from './sign-in-challenges.repository.js';

/** The second factors that a request sent together with the first factor. */
export interface OfferedFactors {
  readonly otpCode?: string;
  readonly recoveryCode?: string;
  /** The trusted device tokens of the form and the header. */
  readonly trustedDeviceTokens?: readonly string[];
  readonly rememberDevice?: boolean;
}

type HeldAccount = Pick<AccountAct, 'user' | 'tx'>;

type Decision = { deviceToken: string | undefined } | { challenge: MfaChallengeResponse };

/** Decides after a valid first factor whether a session is opened or a second factor is required. */
@Injectable()
export class SignInGateService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly inventory: FactorInventoryReader,
    private readonly answers: FactorAnswerVerifier,
    private readonly challenges: SignInChallengesRepository,
    private readonly devices: TrustedDevicesService,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Opens a session, or returns a challenge when a second factor is required and no submitted factor is valid.
   * @throws SecondFactorLocked
   * @throws NotAuthenticated when the account is disabled, or the compared password is no longer the account's
   */
  async admit(
    userId: UserId,
    first: FirstFactor,
    offered: OfferedFactors,
    client: Client,
  ): Promise<SignedInResponse | MfaChallengeResponse> {
    if (!hasSecondFactor(await this.inventory.of(userId))) return this.signedIn(userId, first, client);
    for (const token of offered.trustedDeviceTokens ?? []) {
      if (!(await this.devices.isTrusted(userId, token))) continue;
      return this.signedIn(userId, first, client, { deviceToken: offered.rememberDevice === true ? token : undefined });
    }
    const decision = await this.transactions.run<Decision>(userId, client, (act) => this.decide(act, first, offered));
    return 'challenge' in decision ? decision.challenge : this.signedIn(userId, first, client, decision);
  }

  /**
   * Opens the challenge of a first factor, for callers that lock the account's row. Returns null when the account has
   * no second factor.
   */
  async challenge(act: HeldAccount, first: FirstFactor): Promise<MfaChallengeResponse | Refused | null> {
    const factors = await this.inventory.of(act.user.id, act.tx);
    return hasSecondFactor(factors) ? this.open(act, first, factors) : null;
  }

  /** Opens the session. Callers that accept a second factor in a transaction call this after the commit. */
  async signedIn(
    userId: UserId,
    { method, comparedHash }: FirstFactor,
    client: Client,
    { deviceToken, opened }: { readonly deviceToken?: string | undefined; readonly opened?: WhenOpened } = {},
  ): Promise<SignedInResponse> {
    const tokens = await this.sessions.open(userId, method, client, { comparedHash, opened });
    return deviceToken === undefined ? tokens : { ...tokens, trusted_device_token: deviceToken };
  }

  private async decide(act: AccountAct, first: FirstFactor, offered: OfferedFactors): Promise<Decision | Refused> {
    const { comparedHash } = first;
    if (act.user.disabledAt !== null) throw new NotAuthenticated();
    if (comparedHash !== undefined && act.user.passwordHash !== comparedHash) throw new NotAuthenticated();
    for (const answer of answersIn(offered)) {
      if ((await this.answers.judge(act, answer)) !== null) continue;
      return { deviceToken: offered.rememberDevice === true ? await this.devices.trust(act) : undefined };
    }
    const challenge = await this.open(act, first, await this.inventory.of(act.user.id, act.tx));
    return challenge instanceof Refused ? challenge : { challenge };
  }

  private async open(act: HeldAccount, first: FirstFactor, factors: Factors): Promise<MfaChallengeResponse | Refused> {
    const locked = await this.answers.lockOf(act);
    if (locked !== null) return new Refused(locked);
    return {
      mfa_required: true,
      challenge_token: await this.challenges.open(act.user.id, first, act.tx),
      challenge_expires_in: CHALLENGE_SECONDS,
      methods: methodsOf(factors),
    };
  }
}

function answersIn({ otpCode, recoveryCode }: OfferedFactors): FactorAnswer[] {
  return [
    ...(otpCode === undefined ? [] : [{ method: 'totp', code: otpCode } as const]),
    ...(recoveryCode === undefined ? [] : [{ method: 'recovery_code', code: recoveryCode } as const]),
  ];
}
