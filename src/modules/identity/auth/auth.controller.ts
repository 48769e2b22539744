import { Controller, Get, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public, Requires, type UserScope } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { MessageResponse } from '../../../platform/http/message.dto.js';
import { Body, FormBody, Headers, Scope } from '../../../platform/http/inputs.js';
import {
  MfaChallengeResponse,
  SignedInResponse,
  NEW_TRUSTED_DEVICE_HEADER,
  TrustedDeviceInterceptor,
  TrustedDeviceHeaders,
} from '../second-factors/index.js';
import { ProofScheduler, TooManySignInAttempts } from '../proof/index.js';
import { CallingClient, type Client } from '../sessions/index.js';
import { emailKeyOf } from '../users/index.js';
import {
  LoginRequest,
  MeResponse,
  RegisterRequest,
  RegisterResponse,
  ResendVerificationRequest,
  VerifyEmailRequest,
  VerifiedEmailResponse,
} from './auth.dto.js';
import { EmailNotVerified, IncorrectCredentials, InvalidVerificationToken } from './auth.errors.js';
import { CurrentUserService } from './current-user.service.js';
import { EmailVerificationService } from './email-verification.service.js';
import { RegistrationService } from './registration.service.js';
import { SignInService } from './sign-in.service.js';

@ApiTags('auth')
@Controller('v1/auth')
export class AuthController {
  constructor(
    private readonly registration: RegistrationService,
    private readonly verification: EmailVerificationService,
    private readonly signIn: SignInService,
    private readonly currentUser: CurrentUserService,
    private readonly slots: ProofScheduler,
  ) {}

  @Post('register')
  @Public('anybody may open an account')
  @Documented({
    operationId: 'registerAccount',
    summary: 'Register an account',
    description:
      'Answers the same for an address that already has an account; its owner is mailed instead. Registering an address that waits for confirmation with another password voids both passwords, whoever sent them: a reset chooses one.',
    status: 201,
    answer: RegisterResponse,
  })
  register(@Body() body: RegisterRequest, @CallingClient() client: Client): Promise<RegisterResponse> {
    return this.registration.register(body, client);
  }

  @Post('verify-email')
  @Public('the mailed token is the proof')
  @Documented({
    operationId: 'verifyEmail',
    summary: 'Confirm the e-mail address with the mailed token',
    description:
      'Where the address was registered with different passwords, none counts: the message says so, sign-in answers as to a wrong password, and a reset chooses one.',
    answer: VerifiedEmailResponse,
    errors: [InvalidVerificationToken],
  })
  verifyEmail(@Body() body: VerifyEmailRequest, @CallingClient() client: Client): Promise<VerifiedEmailResponse> {
    return this.verification.verify(body, client);
  }

  @Post('resend-verification')
  @Public('answers the same for every address')
  @Documented({
    operationId: 'resendVerification',
    summary: 'Mail a new verification token (neutral answer)',
    description: 'At most one mail a minute and address.',
    answer: MessageResponse,
  })
  resendVerification(@Body() body: ResendVerificationRequest, @CallingClient() client: Client): MessageResponse {
    this.verification.resend(body.email, client);
    return { message: 'If the address waits for confirmation, a mail is on its way' };
  }

  @Post('login')
  @Public('the password is the proof')
  @Documented({
    operationId: 'logIn',
    summary: 'Form-encoded login; token response or MFA challenge',
    description:
      'When a second factor stands and neither a good code nor the token of a trusted device came along, the answer is a challenge for the routes below /v1/auth/mfa.',
    answer: { oneOf: [SignedInResponse, MfaChallengeResponse] },
    headers: NEW_TRUSTED_DEVICE_HEADER,
    errors: [IncorrectCredentials, EmailNotVerified, TooManySignInAttempts],
  })
  @UseInterceptors(TrustedDeviceInterceptor)
  login(
    @FormBody() form: LoginRequest,
    @Headers() headers: TrustedDeviceHeaders,
    @CallingClient() client: Client,
  ): Promise<SignedInResponse | MfaChallengeResponse> {
    return this.slots.run(`sign-in ${emailKeyOf(form.username)}`, () =>
      this.signIn.login(form, headers.trusted_device_token, client),
    );
  }

  @Get('me')
  @Requires({ beforeSecondFactor: true })
  @Documented({
    operationId: 'getCurrentUser',
    summary: 'Authenticated user',
    description: 'The person whom the access token belongs to.',
    answer: MeResponse,
  })
  me(@Scope() scope: UserScope): Promise<MeResponse> {
    return this.currentUser.get(scope);
  }
}
