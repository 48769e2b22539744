import {
  BooleanField,
  EmailField,
  EnumField,
  IntField,
  TextField,
  UuidField,
  DateTimeField,
  NameField,
} from '../../../platform/http/validation/index.js';
import type { Factors } from '../second-factors/index.js';
import { NewPasswordField, type User } from '../users/index.js';

export class RegisterRequest {
  @EmailField({
    description: 'At most 254 characters; compared in Unicode form NFC, ASCII letters without case',
    example: 'ada@example.com',
  })
  email!: string;

  @NewPasswordField()
  password!: string;

  @NameField({ optional: true, example: 'Ada Lovelace', description: 'Name of the person' })
  name?: string;
}

export class RegisterResponse {
  @TextField({ description: 'What was done, for people' })
  message!: string;

  @EmailField({ description: 'The address that was given' })
  email!: string;

  @BooleanField({ example: true, description: 'Always true: a link is mailed' })
  verification_required!: boolean;
}

export class VerifyEmailRequest {
  @EmailField({ description: 'The address that the link was mailed to' })
  email!: string;

  @TextField({ min: 1, max: 512, secret: true, description: 'The token of the mailed link' })
  token!: string;
}

export class VerifiedEmailResponse {
  @TextField({ description: 'What was done, for people' })
  message!: string;

  @BooleanField({ example: true, description: 'Whether the address is confirmed' })
  email_verified!: boolean;
}

export class ResendVerificationRequest {
  @EmailField({ description: 'The address of the account' })
  email!: string;
}

export class LoginRequest {
  @TextField({ min: 1, max: 320, description: 'The account’s e-mail address' })
  username!: string;

  @TextField({ min: 1, max: 1024, secret: true, description: 'The present one' })
  password!: string;

  @TextField({ min: 1, max: 64, optional: true, secret: true, description: 'Code of the authenticator app' })
  otp_code?: string;

  @TextField({ min: 1, max: 64, optional: true, secret: true, description: 'One of the ten, good once' })
  recovery_code?: string;

  @BooleanField({ optional: true, default: false, description: 'Ask for no second factor here for 30 days' })
  remember_device!: boolean;

  @TextField({ min: 1, max: 512, optional: true, secret: true, description: 'Or in X-Trusted-Device-Token' })
  trusted_device_token?: string;
}

export class MeResponse {
  @UuidField({})
  id!: string;

  @EmailField({ description: 'The address of the account' })
  email!: string;

  @TextField({ nullable: true, description: 'Null: none was given' })
  name!: string | null;

  @BooleanField({ description: 'Whether the address is confirmed' })
  email_verified!: boolean;

  @BooleanField({ description: 'An authenticator app is set up and confirmed' })
  two_factor_enabled!: boolean;

  @IntField({ min: 0, description: 'How many passkeys the account has' })
  passkey_count!: number;

  @BooleanField({ description: 'False: it signs in by a provider or passkey alone' })
  has_password!: boolean;

  @BooleanField({ description: 'Whether it may administer billing' })
  is_platform_admin!: boolean;

  @EnumField(['pro', 'scale', 'enterprise'], {
    nullable: true,
    description: 'Plan paid for before the first organization exists',
  })
  pending_plan!: string | null;

  @UuidField({ nullable: true, description: 'The project it last chose; null: none' })
  selected_project_id!: string | null;

  @DateTimeField({})
  created_at!: string;
}

export function meResponse(user: User, isPlatformAdmin: boolean, factors: Factors): MeResponse {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    email_verified: user.emailVerifiedAt !== null,
    two_factor_enabled: factors.totp,
    passkey_count: factors.passkeys,
    has_password: user.passwordHash !== null,
    is_platform_admin: isPlatformAdmin,
    pending_plan: user.pendingPlan,
    selected_project_id: user.selectedProjectId,
    created_at: user.createdAt.toISOString(),
  };
}
