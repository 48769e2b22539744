import {
  BooleanField,
  ConstantField,
  enumOf,
  IntField,
  ListField,
  NestedField,
  TextField,
} from '../../../../platform/http/validation/index.js';
import { TokenResponse } from '../../sessions/index.js';
import { FACTOR_METHODS, type FactorMethod } from '../factor-inventory.reader.js';
import { AssertionCredential } from '../passkeys/credentials.dto.js';

/** The tokens of a new session, and the token of a device that was marked as trusted. */
export class SignedInResponse extends TokenResponse {
  @TextField({
    optional: true,
    description: 'When remember_device was true and a second factor was shown; also in X-Trusted-Device-Token',
  })
  trusted_device_token?: string;
}

/** The first factor was valid and a second one is required. */
export class MfaChallengeResponse {
  @ConstantField(true, { description: 'The session begins once another factor is shown' })
  mfa_required!: true;

  @TextField({ description: 'For the verify routes below /v1/auth/mfa and nothing else' })
  challenge_token!: string;

  @IntField({ description: 'Seconds', example: 300 })
  challenge_expires_in!: number;

  @ListField(enumOf(FACTOR_METHODS), { description: 'Second factors of the account' })
  methods!: FactorMethod[];
}

export class ChallengeRequest {
  @TextField({ min: 1, max: 512, secret: true, description: 'Of the login answer' })
  challenge_token!: string;
}

class RememberingRequest extends ChallengeRequest {
  @BooleanField({ optional: true, default: false, description: 'Ask for no second factor here for 30 days' })
  remember_device!: boolean;
}

export class VerifyTotpRequest extends RememberingRequest {
  @TextField({ min: 1, max: 64, secret: true, example: '123456', description: 'Six digits of the authenticator app' })
  code!: string;
}

export class VerifyRecoveryCodeRequest extends RememberingRequest {
  @TextField({ min: 1, max: 64, secret: true, description: 'One of the ten, good once' })
  recovery_code!: string;
}

export class VerifyPasskeyRequest extends RememberingRequest {
  @NestedField(() => AssertionCredential, { description: 'What the authenticator answered, in WebAuthn’s JSON form' })
  credential!: AssertionCredential;
}

export class ChallengeMethodsResponse {
  @ListField(enumOf(FACTOR_METHODS), { description: 'Second factors of the account' })
  methods!: FactorMethod[];

  @IntField({ description: 'Seconds the challenge still lives', example: 280 })
  challenge_expires_in!: number;
}
