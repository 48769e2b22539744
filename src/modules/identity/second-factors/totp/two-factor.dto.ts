import { BooleanField, IntField, ListField, text, TextField } from '../../../../platform/http/validation/index.js';
import type { Factors } from '../factor-inventory.reader.js';

export class TwoFactorStatusResponse {
  @BooleanField({ description: 'An authenticator app is set up and confirmed' })
  enabled!: boolean;

  @BooleanField({ description: 'An authenticator app waits for its first code' })
  pending!: boolean;

  @IntField({ min: 0, description: 'How many passkeys the account has' })
  passkey_count!: number;

  @IntField({ min: 0, description: 'How many are still good' })
  recovery_codes_remaining!: number;
}

export function twoFactorStatus(factors: Factors): TwoFactorStatusResponse {
  return {
    enabled: factors.totp,
    pending: factors.totpPending,
    passkey_count: factors.passkeys,
    recovery_codes_remaining: factors.recoveryCodes,
  };
}

export class RecoveryCodesResponse {
  @ListField(text({}), { description: 'Ten, each good once; shown in this answer and never again' })
  recovery_codes!: string[];
}

export class TwoFactorSetupResponse extends RecoveryCodesResponse {
  @TextField({ description: 'In base32, for typing' })
  secret!: string;

  @TextField({ description: 'For a QR code: SHA-1, 6 digits, 30 seconds' })
  otpauth_url!: string;
}

export class EnableTwoFactorRequest {
  @TextField({ min: 1, max: 64, secret: true, description: 'First code of the authenticator app', example: '123456' })
  code!: string;
}
