import { EnumField, IntField, NestedField, TextField } from '../../../../platform/http/validation/index.js';
import { AssertionCredential } from '../passkeys/credentials.dto.js';

export class StepUpRequest {
  @TextField({ min: 1, max: 1024, optional: true, secret: true, description: 'The present one' })
  password?: string;

  @TextField({ min: 1, max: 64, optional: true, secret: true, description: 'Of the authenticator app' })
  code?: string;

  @TextField({ min: 1, max: 64, optional: true, secret: true, description: 'One of the ten, good once' })
  recovery_code?: string;

  @EnumField(['passkey'], { optional: true, description: 'Alone: asks for assertion options' })
  method?: 'passkey';

  @TextField({ min: 1, max: 512, optional: true, secret: true, description: 'Of the assertion options' })
  challenge_token?: string;

  @NestedField(() => AssertionCredential, { optional: true, description: 'The answer to the assertion options' })
  credential?: AssertionCredential;
}

export class StepUpResponse {
  @TextField({ description: 'For X-Step-Up-Token; of this session alone' })
  step_up_token!: string;

  @IntField({ description: 'Seconds', example: 300 })
  expires_in!: number;
}
