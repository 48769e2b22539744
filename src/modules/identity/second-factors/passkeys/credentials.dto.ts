import { EnumField, ListField, NestedField, text, TextField } from '../../../../platform/http/validation/index.js';

/**
 * Maximum length in base64url characters. It is ample for the keys and signatures of every accepted algorithm. A longer
 * value is refused.
 */
const MAX = 16_384;
const base64url = { min: 1, max: MAX, pattern: /^[A-Za-z0-9_-]+$/ };

class AttestationPart {
  @TextField({ ...base64url, description: 'Base64url, as WebAuthn has it' })
  clientDataJSON!: string;

  @TextField({ ...base64url, description: 'Base64url, as WebAuthn has it' })
  attestationObject!: string;

  @ListField(text({ min: 1, max: 32 }), {
    optional: true,
    max: 16,
    description: 'How the authenticator can be reached, as WebAuthn calls it',
  })
  transports?: string[];
}

/** The result of `credential.toJSON()` after `navigator.credentials.create()`. */
export class RegistrationCredential {
  @TextField({ ...base64url, max: 1366, description: 'Of the passkey, base64url' })
  id!: string;

  @TextField({ ...base64url, max: 1366, description: 'The same as `id`' })
  rawId!: string;

  @EnumField(['public-key'], { description: 'As WebAuthn has it' })
  type!: 'public-key';

  @NestedField(() => AttestationPart, { description: 'What the authenticator signed or made' })
  response!: AttestationPart;
}

class AssertionPart {
  @TextField({ ...base64url, secret: true, description: 'Base64url, as WebAuthn has it' })
  clientDataJSON!: string;

  @TextField({ ...base64url, secret: true, description: 'Base64url, as WebAuthn has it' })
  authenticatorData!: string;

  @TextField({ ...base64url, secret: true, description: 'Base64url, as WebAuthn has it' })
  signature!: string;

  @TextField({ max: 128, optional: true, nullable: true, secret: true, description: 'Base64url, as WebAuthn has it' })
  userHandle?: string | null;
}

/** The result of `credential.toJSON()` after `navigator.credentials.get()`. */
export class AssertionCredential {
  @TextField({ ...base64url, max: 1366, description: 'Of the passkey, base64url' })
  id!: string;

  @TextField({ ...base64url, max: 1366, description: 'The same as `id`' })
  rawId!: string;

  @EnumField(['public-key'], { description: 'As WebAuthn has it' })
  type!: 'public-key';

  @NestedField(() => AssertionPart, { description: 'What the authenticator signed or made' })
  response!: AssertionPart;
}
