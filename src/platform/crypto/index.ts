export { generateKey, parseKey } from './api-key-format.js';
export { CredentialCipher, type CipherContext } from './cipher.js';
export { isCommonPassword } from './common-passwords.js';
export { CryptographyUnavailableError, DecryptionError } from './crypto-errors.js';
export { asHashed, Passwords } from './passwords.js';
export { constantTimeEqual, randomBase62, randomToken, sha256, sha256Hex } from './random.js';
