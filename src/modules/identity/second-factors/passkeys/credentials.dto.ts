import { EnumField, ListField, NestedField, text, TextField } from '../../../../platform/http/fields/index.js';

/** Ample for keys and signatures of every kind that is accepted, in base64url. */
const MAX = 16_384;
const base64url = { min: 1, max: MAX, pattern: /^[A-Za-z0-9_-]+$/ };

class AttestationPart {
  @TextField({ ...base64url })
  clientDataJSON!: string;

  @TextField({ ...base64url })
  attestationObject!: string;

  @ListField(text({ min: 1, max: 32 }), { optional: true, max: 16 })
  transports?: string[];
}

/** What `credential.toJSON()` gives after `navigator.credentials.create()`. */
export class RegistrationCredential {
  @TextField({ ...base64url, max: 1366 })
  id!: string;

  @TextField({ ...base64url, max: 1366 })
  rawId!: string;

  @EnumField(['public-key'], {})
  type!: 'public-key';

  @NestedField(() => AttestationPart, {})
  response!: AttestationPart;
}

class AssertionPart {
  @TextField({ ...base64url, secret: true })
  clientDataJSON!: string;

  @TextField({ ...base64url, secret: true })
  authenticatorData!: string;

  @TextField({ ...base64url, secret: true })
  signature!: string;

  @TextField({ max: 128, optional: true, nullable: true, secret: true })
  userHandle?: string | null;
}

/** What `credential.toJSON()` gives after `navigator.credentials.get()`. */
export class AssertionCredential {
  @TextField({ ...base64url, max: 1366 })
  id!: string;

  @TextField({ ...base64url, max: 1366 })
  rawId!: string;

  @EnumField(['public-key'], {})
  type!: 'public-key';

  @NestedField(() => AssertionPart, {})
  response!: AssertionPart;
}
