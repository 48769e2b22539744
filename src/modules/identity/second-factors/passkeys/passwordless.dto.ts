import { NestedField, TextField } from '../../../../platform/http/validation/index.js';
import { AssertionCredential } from './credentials.dto.js';

export class PasswordlessRequest {
  @TextField({ min: 1, max: 512, secret: true, description: 'Of the options' })
  challenge_token!: string;

  @NestedField(() => AssertionCredential, { description: 'What the authenticator answered, in WebAuthn’s JSON form' })
  credential!: AssertionCredential;
}
