import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body } from '../../../platform/http/inputs.js';
import { MessageResponse } from '../../../platform/http/message.dto.js';
import { CallingClient, type Client } from '../sessions/index.js';
import { InvalidResetToken } from './auth.errors.js';
import {
  ConfirmPasswordResetRequest,
  RequestPasswordResetRequest,
  ValidatePasswordResetRequest,
  PasswordResetValidityResponse,
} from './password-reset.dto.js';
import { PasswordResetService } from './password-reset.service.js';

@ApiTags('auth')
@Controller('v1/auth/password-reset')
export class PasswordResetController {
  constructor(private readonly passwordReset: PasswordResetService) {}

  @Post('request')
  @Public('answers the same for every address')
  @Documented({
    operationId: 'requestPasswordReset',
    summary: 'Mail a reset token (neutral answer)',
    description: 'The token lives an hour and works once. At most one mail a minute and address.',
    answer: MessageResponse,
  })
  request(@Body() body: RequestPasswordResetRequest, @CallingClient() client: Client): MessageResponse {
    this.passwordReset.request(body.email, client);
    return { message: 'If the address has an account, a mail is on its way' };
  }

  @Post('confirm')
  @Public('the mailed token is the proof')
  @Documented({
    operationId: 'confirmPasswordReset',
    summary: 'Set the new password; revoke sessions and trusted devices',
    description:
      'Signs nobody in: the next sign-in needs the second factor where one stands. Passkeys that were added without a proof are removed; the mail to the owner and the security log list the factors added since the last sign-in with the old password.',
    answer: MessageResponse,
    errors: [InvalidResetToken],
  })
  async confirm(@Body() body: ConfirmPasswordResetRequest, @CallingClient() client: Client): Promise<MessageResponse> {
    await this.passwordReset.confirm(body, client);
    return { message: 'The password is set; sign in with it' };
  }

  @Post('validate')
  @Public('the mailed token is the proof')
  @Documented({
    operationId: 'validatePasswordReset',
    summary: 'Is a reset token still good',
    description: 'Does not use it up.',
    answer: PasswordResetValidityResponse,
  })
  async validate(@Body() body: ValidatePasswordResetRequest): Promise<PasswordResetValidityResponse> {
    return { valid: await this.passwordReset.isValid(body.token) };
  }
}
