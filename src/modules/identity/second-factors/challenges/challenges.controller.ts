import { Controller, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body } from '../../../../platform/http/inputs.js';
import { CallingClient, type Client } from '../../sessions/index.js';
import { CeremonyResponse } from '../passkeys/passkeys.dto.js';
import {
  InvalidAuthenticationCode,
  InvalidChallenge,
  NoPasskey,
  SecondFactorLocked,
} from '../second-factors.errors.js';
import { ChallengeOptionsService } from './challenge-options.service.js';
import {
  ChallengeMethodsResponse,
  ChallengeRequest,
  SignedInResponse,
  VerifyPasskeyRequest,
  VerifyRecoveryCodeRequest,
  VerifyTotpRequest,
} from './challenges.dto.js';
import { ChallengesService } from './challenges.service.js';
import { NEW_TRUSTED_DEVICE_HEADER, TrustedDeviceInterceptor } from './trusted-device.interceptor.js';

const LIMITS =
  'A challenge ends after five wrong answers or five minutes. 20 wrong answers within 15 minutes, of whichever kind, lock the second factor of the account for 15 minutes.';

@ApiTags('auth')
@Controller('v1/auth/mfa')
@UseInterceptors(TrustedDeviceInterceptor)
export class ChallengesController {
  constructor(
    private readonly challenges: ChallengesService,
    private readonly options: ChallengeOptionsService,
  ) {}

  @Post('methods')
  @Public('the challenge token is the proof')
  @Documented({
    operationId: 'listMfaMethods',
    summary: 'Methods that can answer a challenge',
    description: 'The challenge stays good for its answer.',
    answer: ChallengeMethodsResponse,
    errors: [InvalidChallenge],
  })
  methods(@Body() body: ChallengeRequest): Promise<ChallengeMethodsResponse> {
    return this.options.methods(body.challenge_token);
  }

  @Post('totp/verify')
  @Public('the challenge token is the proof')
  @Documented({
    operationId: 'verifyTotp',
    summary: 'Answer a challenge with an authenticator code',
    description: LIMITS,
    answer: SignedInResponse,
    headers: NEW_TRUSTED_DEVICE_HEADER,
    errors: [InvalidChallenge, InvalidAuthenticationCode, SecondFactorLocked],
  })
  verifyTotp(@Body() body: VerifyTotpRequest, @CallingClient() client: Client): Promise<SignedInResponse> {
    return this.challenges.verifyTotp(body, client);
  }

  @Post('recovery-code/verify')
  @Public('the challenge token is the proof')
  @Documented({
    operationId: 'verifyRecoveryCode',
    summary: 'Answer a challenge with a recovery code',
    description: LIMITS,
    answer: SignedInResponse,
    headers: NEW_TRUSTED_DEVICE_HEADER,
    errors: [InvalidChallenge, InvalidAuthenticationCode, SecondFactorLocked],
  })
  verifyRecoveryCode(
    @Body() body: VerifyRecoveryCodeRequest,
    @CallingClient() client: Client,
  ): Promise<SignedInResponse> {
    return this.challenges.verifyRecoveryCode(body, client);
  }

  @Post('passkey/options')
  @Public('the challenge token is the proof')
  @Documented({
    operationId: 'createMfaPasskeyOptions',
    summary: 'Assertion options for a challenge',
    description: 'Answers the challenge token it was given beside the options.',
    answer: CeremonyResponse,
    errors: [InvalidChallenge, NoPasskey],
  })
  passkeyOptions(@Body() body: ChallengeRequest): Promise<CeremonyResponse> {
    return this.options.passkeyOptions(body.challenge_token);
  }

  @Post('passkey/verify')
  @Public('the challenge token is the proof')
  @Documented({
    operationId: 'verifyMfaPasskey',
    summary: 'Answer a challenge with a passkey',
    description: LIMITS,
    answer: SignedInResponse,
    headers: NEW_TRUSTED_DEVICE_HEADER,
    errors: [InvalidChallenge, InvalidAuthenticationCode, SecondFactorLocked],
  })
  verifyPasskey(@Body() body: VerifyPasskeyRequest, @CallingClient() client: Client): Promise<SignedInResponse> {
    return this.challenges.verifyPasskey(body, client);
  }
}
