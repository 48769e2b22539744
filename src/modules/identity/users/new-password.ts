import { asHashed, isCommonPassword } from '../../../platform/crypto/index.js';
import { brokenRule, TextField } from '../../../platform/http/validation/index.js';

/** A new password: 8 to 128 characters and not a common one. */
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
  // Letter case is ignored here, unlike in the comparison of addresses: an address in any letter case is an easy guess.
  if (asHashed(password).toLowerCase() !== asHashed(email).toLowerCase()) return;
  throw brokenRule(['body', 'password'], 'password must not be the e-mail address', '[redacted]');
}
