/** No key is configured for protected values. The value itself may be valid, so work that needs it is postponed. */
export class CryptographyUnavailableError extends Error {
  override readonly name = 'CryptographyUnavailableError';
  constructor() {
    super('Credential encryption is switched off');
  }
}

/** The envelope is malformed, altered, moved from its row, or of a key that is no longer configured. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
  constructor() {
    super('Protected value cannot be decrypted');
  }
}
