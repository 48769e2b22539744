import { Controller, Get, Patch, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, type UserScope } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, Headers, IdParam, Scope } from '../../../../platform/http/inputs.js';
import { MessageResponse } from '../../../../platform/http/message.dto.js';
import {
  FreshSignInRequired,
  IncorrectPassword,
  ProofSlotInterceptor,
  StepUpHeaders,
  TooManySignInAttempts,
} from '../../proof/index.js';
import { CallingClient, type Client } from '../../sessions/index.js';
import { CHANGE_PROOF, FactorProofRequest } from '../change-proof.service.js';
import {
  InvalidAuthenticationCode,
  InvalidPasskeyRegistration,
  PasskeyInUse,
  PasskeyNotFound,
  SecondFactorRequired,
  TooManyPasskeys,
} from '../second-factors.errors.js';
import { MOST_PASSKEYS } from './passkey-limit.js';
import { PasskeyOptionsService } from './passkey-options.service.js';
import { PasskeyRegistrationService } from './passkey-registration.service.js';
import {
  CeremonyResponse,
  PasskeyResponse,
  RegisteredPasskeyResponse,
  RegisterPasskeyRequest,
  RenamePasskeyRequest,
} from './passkeys.dto.js';
import { PasskeysService } from './passkeys.service.js';

@ApiTags('account')
@Controller('v1/account/passkeys')
export class PasskeysController {
  constructor(
    private readonly passkeys: PasskeysService,
    private readonly beginning: PasskeyOptionsService,
    private readonly registration: PasskeyRegistrationService,
  ) {}

  @Get()
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'listPasskeys',
    summary: 'List passkeys',
    description: 'Newest first.',
    answer: [PasskeyResponse],
  })
  list(@Scope() scope: UserScope): Promise<PasskeyResponse[]> {
    return this.passkeys.list(scope);
  }

  @Post('register/options')
  @UseInterceptors(ProofSlotInterceptor)
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'createPasskeyOptions',
    summary: 'Registration options',
    description: `${CHANGE_PROOF} The challenge is good in this session alone. An account has at most ${MOST_PASSKEYS} passkeys.`,
    answer: CeremonyResponse,
    errors: [
      IncorrectPassword,
      FreshSignInRequired,
      SecondFactorRequired,
      InvalidAuthenticationCode,
      TooManySignInAttempts,
      TooManyPasskeys,
    ],
  })
  options(
    @Scope() scope: UserScope,
    @Body() request: FactorProofRequest,
    @Headers() headers: StepUpHeaders,
    @CallingClient() client: Client,
  ): Promise<CeremonyResponse> {
    return this.beginning.options({ scope, request, stepUpToken: headers.step_up_token, client });
  }

  @Post('register/verify')
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'createPasskey',
    summary: 'Complete registration; may return recovery codes',
    description:
      'Takes what the authenticator made of POST /v1/account/passkeys/register/options. Recovery codes come where the account had none, and are not shown again.',
    status: 201,
    answer: RegisteredPasskeyResponse,
    errors: [InvalidPasskeyRegistration, PasskeyInUse, TooManyPasskeys],
  })
  verify(
    @Scope() scope: UserScope,
    @Body() body: RegisterPasskeyRequest,
    @CallingClient() client: Client,
  ): Promise<RegisteredPasskeyResponse> {
    return this.registration.verify(scope, body, client);
  }

  @Patch(':passkey_id')
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'updatePasskey',
    summary: 'Rename a passkey',
    description: 'The name is for people; what signs in stays as it is.',
    answer: PasskeyResponse,
    errors: [PasskeyNotFound],
  })
  rename(
    @Scope() scope: UserScope,
    @IdParam('passkey_id') id: string,
    @Body() body: RenamePasskeyRequest,
    @CallingClient() client: Client,
  ): Promise<PasskeyResponse> {
    return this.passkeys.rename(scope, id, body, client);
  }

  @Post(':passkey_id/remove')
  @UseInterceptors(ProofSlotInterceptor)
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'deletePasskey',
    summary: 'Remove a passkey',
    description: `${CHANGE_PROOF} Without another factor left the recovery codes go too, and no device stays trusted.`,
    answer: MessageResponse,
    errors: [
      IncorrectPassword,
      FreshSignInRequired,
      SecondFactorRequired,
      InvalidAuthenticationCode,
      TooManySignInAttempts,
      PasskeyNotFound,
    ],
  })
  async remove(
    @Scope() scope: UserScope,
    @IdParam('passkey_id') id: string,
    @Body() request: FactorProofRequest,
    @Headers() headers: StepUpHeaders,
    @CallingClient() client: Client,
  ): Promise<MessageResponse> {
    await this.passkeys.remove(id, { scope, request, stepUpToken: headers.step_up_token, client });
    return { message: 'The passkey is removed' };
  }
}
