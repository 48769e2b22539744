import { Controller, Get, Patch, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public, Requires, type UserScope } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { MessageResponse } from '../../../platform/http/message.dto.js';
import { Body, Headers, Query, Scope } from '../../../platform/http/inputs.js';
import { MeResponse } from '../auth/index.js';
import {
  FreshSignInRequired,
  IncorrectPassword,
  ProofSlotInterceptor,
  StepUpHeaders,
  TooManySignInAttempts,
} from '../proof/index.js';
import { CHANGE_PROOF, InvalidAuthenticationCode, SecondFactorRequired } from '../second-factors/index.js';
import { CallingClient, type Client } from '../sessions/index.js';
import { AccountOwnsOrganization } from '../users/index.js';
import {
  ChangePasswordRequest,
  ConfirmEmailChangeRequest,
  ConfirmedEmailResponse,
  DeleteAccountRequest,
  RequestEmailChangeRequest,
  SecurityEventsQuery,
  SecurityEventsResponse,
  UpdateAccountRequest,
} from './account.dto.js';
import { InvalidEmailChangeToken, TooManyPasswordChanges } from './account.errors.js';
import { AccountClosureService } from './account-closure.service.js';
import { AccountService } from './account.service.js';
import { EmailChangeConfirmationService } from './email-change-confirmation.service.js';
import { EmailChangeService } from './email-change.service.js';
import { PasswordChangeService } from './password-change.service.js';

const CHANGE_REFUSALS = [
  IncorrectPassword,
  FreshSignInRequired,
  SecondFactorRequired,
  InvalidAuthenticationCode,
  TooManySignInAttempts,
];

@ApiTags('account')
@Controller('v1/account')
export class AccountController {
  constructor(
    private readonly account: AccountService,
    private readonly password: PasswordChangeService,
    private readonly closure: AccountClosureService,
    private readonly emailChange: EmailChangeService,
    private readonly emailChangeConfirmation: EmailChangeConfirmationService,
  ) {}

  @Patch()
  @Requires()
  @Documented({
    operationId: 'updateAccount',
    summary: 'Update the profile',
    description: 'Fields that are left out stay as they are. Address and password have routes of their own.',
    answer: MeResponse,
  })
  update(
    @Scope() scope: UserScope,
    @Body() body: UpdateAccountRequest,
    @CallingClient() client: Client,
  ): Promise<MeResponse> {
    return this.account.update(scope, body, client);
  }

  @Post('password/change')
  @UseInterceptors(ProofSlotInterceptor)
  @Requires()
  @Documented({
    operationId: 'changePassword',
    summary: 'Change the password',
    description: `${CHANGE_PROOF} Revokes the other sessions, the trusted devices and every step-up token. An account that signs in through a provider sets its first password by this.`,
    answer: MessageResponse,
    errors: [...CHANGE_REFUSALS, TooManyPasswordChanges],
  })
  async changePassword(
    @Scope() scope: UserScope,
    @Headers() headers: StepUpHeaders,
    @Body() request: ChangePasswordRequest,
    @CallingClient() client: Client,
  ): Promise<MessageResponse> {
    const change = { scope, request, stepUpToken: headers.step_up_token, client };
    await this.password.change(change, request.password);
    return { message: 'The password is changed; other sessions are revoked' };
  }

  @Post('email-change/request')
  @UseInterceptors(ProofSlotInterceptor)
  @Requires()
  @Documented({
    operationId: 'requestEmailChange',
    summary: 'Ask to change the e-mail address',
    description: `${CHANGE_PROOF} Mails a link to the new address, unless it belongs to an account; the answer does not tell. At most five mails an hour; only the newest link works.`,
    answer: MessageResponse,
    errors: CHANGE_REFUSALS,
  })
  async requestEmailChange(
    @Scope() scope: UserScope,
    @Headers() headers: StepUpHeaders,
    @Body() request: RequestEmailChangeRequest,
    @CallingClient() client: Client,
  ): Promise<MessageResponse> {
    const change = { scope, request, stepUpToken: headers.step_up_token, client };
    await this.emailChange.request(change, request.email);
    return { message: 'If the address can be used, a mail is on its way to it' };
  }

  @Post('email-change/confirm')
  @Public('the mailed token is the proof')
  @Documented({
    operationId: 'confirmEmailChange',
    summary: 'Confirm with the token mailed to the new address',
    description: 'The old address is told.',
    answer: ConfirmedEmailResponse,
    errors: [InvalidEmailChangeToken],
  })
  async confirmEmailChange(
    @Body() body: ConfirmEmailChangeRequest,
    @CallingClient() client: Client,
  ): Promise<ConfirmedEmailResponse> {
    const email = await this.emailChangeConfirmation.confirm(body.token, client);
    return { message: 'The address is changed', email };
  }

  @Get('security-events')
  @Requires()
  @Documented({
    operationId: 'listSecurityEvents',
    summary: "The account's security log",
    description: 'Newest first.',
    answer: SecurityEventsResponse,
  })
  securityEvents(@Scope() scope: UserScope, @Query() query: SecurityEventsQuery): Promise<SecurityEventsResponse> {
    return this.account.securityEvents(scope, query);
  }

  @Post('delete')
  @UseInterceptors(ProofSlotInterceptor)
  @Requires()
  @Documented({
    operationId: 'deleteAccount',
    summary: 'Close the account',
    description: `${CHANGE_PROOF} Deletes everything personal; audit records keep the user id. While the account owns an organization this is 409, unless \`delete_organizations\` is true and each of them may go; the detail then names those that may not. Rows of deleted organizations are removed in the background. What was paid for before there was an organization ends at the payment provider within minutes.`,
    answer: MessageResponse,
    errors: [...CHANGE_REFUSALS, AccountOwnsOrganization],
  })
  async delete(
    @Scope() scope: UserScope,
    @Headers() headers: StepUpHeaders,
    @Body() request: DeleteAccountRequest,
    @CallingClient() client: Client,
  ): Promise<MessageResponse> {
    const deletion = { deleteOrganizations: request.delete_organizations };
    await this.closure.close({ scope, request, stepUpToken: headers.step_up_token, client }, deletion);
    return { message: 'The account is closed' };
  }
}
