import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public, Requires, type UserScope } from '../../platform/access/index.js';
import { Documented } from '../../platform/http/documented.js';
import { Body, type CheckedRequest, FormBody, RawRequest, Scope } from '../../platform/http/inputs.js';
import { AccessTokens } from './access-tokens.js';
import {
  JwksResponse,
  LoginRequest,
  MeResponse,
  MessageResponse,
  RefreshRequest,
  RegisterRequest,
  RegisterResponse,
  ResendVerificationRequest,
  TokenResponse,
  VerifyEmailRequest,
  VerifyEmailResponse,
} from './auth.dto.js';
import {
  EmailNotVerified,
  IncorrectCredentials,
  InvalidRefreshToken,
  InvalidVerificationToken,
  RefreshTokenReused,
} from './auth.errors.js';
import { RegistrationService } from './registration.service.js';
import { type Client, SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';

@ApiTags('auth')
@Controller('v1/auth')
export class AuthController {
  constructor(
    private readonly registration: RegistrationService,
    private readonly signIn: SignInService,
    private readonly sessions: SessionsService,
    private readonly accessTokens: AccessTokens,
  ) {}

  @Post('register')
  @Public('anybody may open an account')
  @Documented({
    summary: 'Register an account',
    description: 'Answers the same for an address that already has an account; its owner is mailed instead.',
    status: 201,
    answer: RegisterResponse,
  })
  register(@Body() body: RegisterRequest): Promise<RegisterResponse> {
    return this.registration.register(body);
  }

  @Post('verify-email')
  @Public('the mailed token is the proof')
  @Documented({
    summary: 'Confirm the e-mail address with the mailed token',
    answer: VerifyEmailResponse,
    errors: [InvalidVerificationToken],
  })
  verifyEmail(@Body() body: VerifyEmailRequest): Promise<VerifyEmailResponse> {
    return this.registration.verify(body);
  }

  @Post('resend-verification')
  @Public('answers the same for every address')
  @Documented({
    summary: 'Mail a new verification token (neutral answer)',
    description: 'At most one mail a minute and address.',
    answer: MessageResponse,
  })
  resendVerification(@Body() body: ResendVerificationRequest): MessageResponse {
    this.registration.resend(body.email);
    return { message: 'If the address waits for confirmation, a mail is on its way' };
  }

  @Post('login')
  @Public('the password is the proof')
  @Documented({
    summary: 'Form-encoded login',
    answer: TokenResponse,
    errors: [IncorrectCredentials, EmailNotVerified],
  })
  login(@FormBody() form: LoginRequest, @RawRequest() request: CheckedRequest): Promise<TokenResponse> {
    return this.signIn.login(form, clientOf(request));
  }

  @Post('refresh')
  @Public('the refresh token is the proof')
  @Documented({
    summary: 'Rotate the refresh token',
    description:
      'Using a rotated token again revokes the whole session. For 10 seconds the direct predecessor is answered with a fresh token, so that a lost answer can be asked for again; the one given before then ends.',
    answer: TokenResponse,
    errors: [InvalidRefreshToken, RefreshTokenReused],
  })
  refresh(@Body() body: RefreshRequest): Promise<TokenResponse> {
    return this.sessions.refresh(body.refresh_token);
  }

  @Post('logout')
  @Public('the refresh token is the proof')
  @Documented({
    summary: "Revoke the refresh token's session",
    description: 'Succeeds also when no active session matches.',
    answer: MessageResponse,
  })
  async logout(@Body() body: RefreshRequest): Promise<MessageResponse> {
    await this.sessions.logout(body.refresh_token);
    return { message: 'Signed out' };
  }

  @Get('me')
  @Requires()
  @Documented({ summary: 'Authenticated user', answer: MeResponse })
  me(@Scope() scope: UserScope): Promise<MeResponse> {
    return this.signIn.me(scope);
  }

  @Get('jwks')
  @Public('public keys')
  @Documented({ summary: 'Public keys that verify access tokens', answer: JwksResponse })
  async jwks(): Promise<object> {
    return { keys: await this.accessTokens.publicKeys() };
  }
}

function clientOf(request: CheckedRequest): Client {
  return { ip: request.ip ?? null, userAgent: request.headers['user-agent']?.slice(0, 500) ?? null };
}
