import { BooleanField, EmailField, TextField } from '../../../platform/http/validation/index.js';
import { NewPasswordField } from '../users/index.js';

export class RequestPasswordResetRequest {
  @EmailField({ description: 'The address of the account' })
  email!: string;
}

export class ConfirmPasswordResetRequest {
  @TextField({ min: 1, max: 512, secret: true, description: 'The token of the mailed link' })
  token!: string;

  @NewPasswordField()
  password!: string;
}

export class ValidatePasswordResetRequest {
  @TextField({ min: 1, max: 512, secret: true, description: 'The token of the mailed link' })
  token!: string;
}

export class PasswordResetValidityResponse {
  @BooleanField({ description: 'Whether the link is still good' })
  valid!: boolean;
}
