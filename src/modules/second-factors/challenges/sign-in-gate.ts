import { Injectable } from '@nestjs/common';
import { type Client, type OpenOptions, SessionsService, type SignInMethod } from '../../sessions/index.js';
import type { User } from '../../users/index.js';
import { type AccountAct, AccountActs, Refused } from '../account-acts.js';
import { FactorInventory, hasSecondFactor, methodsOf } from '../factor-inventory.js';
import { TrustedDevices } from '../trusted-devices/trusted-devices.js';
import type { MfaChallengeResponse, SignedInResponse } from './challenges.dto.js';
import { type FactorAnswer, FactorAnswers } from './factor-answers.js';
import { CHALLENGE_SECONDS, SignInChallenges } from './sign-in-challenges.js';

/** What came along with the first factor. */
export interface OfferedFactors {
  readonly otpCode?: string;
  readonly recoveryCode?: string;
  /** From the form, the header or both. */
  readonly trustedDeviceTokens?: readonly string[];
  readonly rememberDevice?: boolean;
}

type Decision = { deviceToken: string | undefined } | { challenge: MfaChallengeResponse };

/** Stands between a good first factor and the session. */
@Injectable()
export class SignInGate {
  constructor(
    private readonly acts: AccountActs,
    private readonly inventory: FactorInventory,
    private readonly answers: FactorAnswers,
    private readonly challenges: SignInChallenges,
    private readonly devices: TrustedDevices,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * A session, or the challenge when a second factor stands and nothing offered is good for it.
   * @throws SecondFactorLocked
   */
  async admit(
    user: User,
    method: SignInMethod,
    offered: OfferedFactors,
    client: Client,
    options: OpenOptions = {},
  ): Promise<SignedInResponse | MfaChallengeResponse> {
    if (!hasSecondFactor(await this.inventory.of(user.id))) return this.sessions.open(user.id, method, client, options);
    for (const token of offered.trustedDeviceTokens ?? []) {
      if (!(await this.devices.isTrusted(user.id, token))) continue;
      return this.signedIn(user.id, method, client, offered.rememberDevice === true ? token : undefined, options);
    }
    const decision = await this.acts.run<Decision>(user.id, client, (act) => this.decide(act, method, offered));
    return 'challenge' in decision
      ? decision.challenge
      : this.signedIn(user.id, method, client, decision.deviceToken, options);
  }

  /** After the act that let its owner in has been committed. */
  async signedIn(
    userId: string,
    method: SignInMethod,
    client: Client,
    deviceToken: string | undefined,
    options: OpenOptions = {},
  ): Promise<SignedInResponse> {
    const tokens = await this.sessions.open(userId, method, client, options);
    return deviceToken === undefined ? tokens : { ...tokens, trusted_device_token: deviceToken };
  }

  private async decide(act: AccountAct, method: SignInMethod, offered: OfferedFactors): Promise<Decision | Refused> {
    for (const answer of answersIn(offered)) {
      if ((await this.answers.judge(act, answer)) !== null) continue;
      return { deviceToken: offered.rememberDevice === true ? await this.devices.trust(act) : undefined };
    }
    const locked = await this.answers.lockOf(act);
    if (locked !== null) return new Refused(locked);
    return {
      challenge: {
        mfa_required: true,
        challenge_token: await this.challenges.open(act.user.id, method, act.tx),
        challenge_expires_in: CHALLENGE_SECONDS,
        methods: methodsOf(await this.inventory.of(act.user.id, act.tx)),
      },
    };
  }
}

function answersIn({ otpCode, recoveryCode }: OfferedFactors): FactorAnswer[] {
  return [
    ...(otpCode === undefined ? [] : [{ method: 'totp', code: otpCode } as const]),
    ...(recoveryCode === undefined ? [] : [{ method: 'recovery_code', code: recoveryCode } as const]),
  ];
}
