import { Controller, Get, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, type UserScope } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, Headers, Scope } from '../../../../platform/http/inputs.js';
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
  InvalidSetupCode,
  SecondFactorRequired,
  TwoFactorAlreadyEnabled,
  TwoFactorNotEnabled,
  TwoFactorNotPending,
  TwoFactorUnavailable,
} from '../second-factors.errors.js';
import {
  EnableTwoFactorRequest,
  RecoveryCodesResponse,
  TwoFactorSetupResponse,
  TwoFactorStatusResponse,
} from './two-factor.dto.js';
import { TwoFactorService } from './two-factor.service.js';

@ApiTags('account')
@Controller('v1/account/two-factor')
export class TwoFactorController {
  constructor(private readonly twoFactor: TwoFactorService) {}

  @Get()
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'getTwoFactor',
    summary: 'Second-factor status',
    description: 'What stands as second factor; secrets and codes are not told.',
    answer: TwoFactorStatusResponse,
  })
  status(@Scope() scope: UserScope): Promise<TwoFactorStatusResponse> {
    return this.twoFactor.status(scope);
  }

  @Post('setup')
  @UseInterceptors(ProofSlotInterceptor)
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'setUpTwoFactor',
    summary: 'Begin TOTP setup (current password)',
    description: `${CHANGE_PROOF} The recovery codes come into force, in place of earlier ones, when the setup is confirmed.`,
    answer: TwoFactorSetupResponse,
    errors: [
      IncorrectPassword,
      FreshSignInRequired,
      SecondFactorRequired,
      InvalidAuthenticationCode,
      TooManySignInAttempts,
      TwoFactorAlreadyEnabled,
      TwoFactorUnavailable,
    ],
  })
  setup(
    @Scope() scope: UserScope,
    @Body() request: FactorProofRequest,
    @Headers() headers: StepUpHeaders,
    @CallingClient() client: Client,
  ): Promise<TwoFactorSetupResponse> {
    return this.twoFactor.setup({ scope, request, stepUpToken: headers.step_up_token, client });
  }

  @Post('enable')
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'enableTwoFactor',
    summary: 'Confirm the pending setup',
    description: 'The code is used up by this. Wrong codes here count for no lockout.',
    answer: TwoFactorStatusResponse,
    errors: [InvalidSetupCode, TwoFactorNotPending],
  })
  enable(
    @Scope() scope: UserScope,
    @Body() body: EnableTwoFactorRequest,
    @CallingClient() client: Client,
  ): Promise<TwoFactorStatusResponse> {
    return this.twoFactor.enable(scope, body, client);
  }

  @Post('disable')
  @UseInterceptors(ProofSlotInterceptor)
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'disableTwoFactor',
    summary: 'Remove TOTP',
    description: `${CHANGE_PROOF} Without another factor left the recovery codes go too, and no device stays trusted.`,
    answer: TwoFactorStatusResponse,
    errors: [
      IncorrectPassword,
      FreshSignInRequired,
      SecondFactorRequired,
      InvalidAuthenticationCode,
      TooManySignInAttempts,
      TwoFactorNotEnabled,
    ],
  })
  disable(
    @Scope() scope: UserScope,
    @Body() request: FactorProofRequest,
    @Headers() headers: StepUpHeaders,
    @CallingClient() client: Client,
  ): Promise<TwoFactorStatusResponse> {
    return this.twoFactor.disable({ scope, request, stepUpToken: headers.step_up_token, client });
  }

  @Post('recovery-codes/regenerate')
  @UseInterceptors(ProofSlotInterceptor)
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'regenerateRecoveryCodes',
    summary: 'Replace the recovery codes',
    description: `${CHANGE_PROOF} Earlier recovery codes end.`,
    answer: RecoveryCodesResponse,
    errors: [
      IncorrectPassword,
      FreshSignInRequired,
      SecondFactorRequired,
      InvalidAuthenticationCode,
      TooManySignInAttempts,
      TwoFactorNotEnabled,
    ],
  })
  regenerate(
    @Scope() scope: UserScope,
    @Body() request: FactorProofRequest,
    @Headers() headers: StepUpHeaders,
    @CallingClient() client: Client,
  ): Promise<RecoveryCodesResponse> {
    return this.twoFactor.regenerate({ scope, request, stepUpToken: headers.step_up_token, client });
  }
}
