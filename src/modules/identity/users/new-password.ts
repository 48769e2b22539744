import { asHashed, isCommonPassword } from '../../../platform/crypto/index.js';
import { brokenRule, TextField } from '../../../platform/http/fields/index.js';

/** A password that somebody chooses: 8 to 128 characters and not a common one (DECISIONS 2). */
export const NewPasswordField = (): PropertyDecorator =>
  TextField({
    min: 8,
    max: 128,
    secret: true,
    check: (password) => (isCommonPassword(asHashed(password)) ? 'password is among the most common ones' : undefined),
    description: 'Not a common one and not the address itself',
  });

/** @throws ValidationError when the password is the account's address */
export function refuseAddressAsPassword(password: string, email: string): void {
  // Not how addresses compare: as a guess, any case of it is the address.
  if (asHashed(password).toLowerCase() !== asHashed(email).toLowerCase()) return;
  throw brokenRule(['body', 'password'], 'password must not be the e-mail address', '[redacted]');
}
