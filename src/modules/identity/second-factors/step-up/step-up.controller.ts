import { Controller, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, type UserScope } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, Scope } from '../../../../platform/http/inputs.js';
import {
  FreshSignInRequired,
  IncorrectPassword,
  ProofSlotInterceptor,
  TooManySignInAttempts,
} from '../../proof/index.js';
import { CallingClient, type Client } from '../../sessions/index.js';
import { CeremonyResponse } from '../passkeys/passkeys.dto.js';
import { InvalidAuthenticationCode, NoPasskey } from '../second-factors.errors.js';
import { StepUpRequest, StepUpResponse } from './step-up.dto.js';
import { StepUpService } from './step-up.service.js';

@ApiTags('auth')
@Controller('v1/auth')
export class StepUpController {
  constructor(private readonly service: StepUpService) {}

  @Post('step-up')
  @UseInterceptors(ProofSlotInterceptor)
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'stepUpSession',
    summary: 'Prove a factor again for sensitive changes',
    description:
      'Takes `password`, `code`, `recovery_code` or a passkey. For a passkey, `{"method": "passkey"}` answers a challenge token and assertion options; both `challenge_token` and `credential` then come back here. The step-up token goes into `X-Step-Up-Token` wherever a change asks for the current password and remembers what was shown for it: the password, a second factor, or both in one request. A passkey must verify its user; it is a second factor, and for an account without a password both. A new password ends the tokens of the account; the end of a factor, those that it was shown for.',
    answer: { oneOf: [StepUpResponse, CeremonyResponse] },
    errors: [IncorrectPassword, FreshSignInRequired, InvalidAuthenticationCode, TooManySignInAttempts, NoPasskey],
  })
  stepUp(
    @Scope() scope: UserScope,
    @Body() body: StepUpRequest,
    @CallingClient() client: Client,
  ): Promise<StepUpResponse | CeremonyResponse> {
    return this.service.stepUp(scope, body, client);
  }
}
