/** No key for stored credentials is configured. The value may be valid, so callers postpone work that needs it. */
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
