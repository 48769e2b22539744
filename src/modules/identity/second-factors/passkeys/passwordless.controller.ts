import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body } from '../../../../platform/http/inputs.js';
import { CallingClient, type Client, TokenResponse } from '../../sessions/index.js';
import { InvalidAuthenticationCode, InvalidChallenge } from '../second-factors.errors.js';
import { CeremonyResponse } from './passkeys.dto.js';
import { PasswordlessRequest } from './passwordless.dto.js';
import { PasswordlessService } from './passwordless.service.js';

@ApiTags('auth')
@Controller('v1/auth/passkey/passwordless')
export class PasswordlessController {
  constructor(private readonly passwordless: PasswordlessService) {}

  @Post('options')
  @Public('tells nothing about anybody')
  @Documented({
    operationId: 'createPasskeyLoginOptions',
    summary: 'Assertion options for sign-in without a password',
    description:
      'Names no account: the passkey that answers tells it. The challenge lives five minutes and is used once.',
    answer: CeremonyResponse,
  })
  options(): Promise<CeremonyResponse> {
    return this.passwordless.options();
  }

  @Post('verify')
  @Public('the passkey is the proof')
  @Documented({
    operationId: 'logInWithPasskey',
    summary: 'Sign in with a discoverable passkey',
    description:
      'The authenticator must verify its user, so that this counts as both factors. A passkey that was registered without that is refused until it was used once as a second factor with its user verified.',
    answer: TokenResponse,
    errors: [InvalidChallenge, InvalidAuthenticationCode],
  })
  verify(@Body() body: PasswordlessRequest, @CallingClient() client: Client): Promise<TokenResponse> {
    return this.passwordless.verify(body, client);
  }
}
