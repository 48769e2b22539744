import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { CryptographyUnavailableError, DecryptionError } from './crypto-errors.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ENVELOPE = /^v([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]*)$/;

/**
 * The location of an encrypted value. The location is authenticated with the value, so a ciphertext that is copied to
 * another location cannot be decrypted.
 */
export interface CipherContext {
  readonly table: string;
  readonly column: string;
  readonly rowId: string;
  readonly tenantId: string;
}

export type CipherKeys = { readonly keys: readonly { readonly id: string; readonly key: Uint8Array }[] } | 'disabled';

/**
 * Encrypts values that the service must read again, with AES-256-GCM. The first key encrypts, and every key decrypts.
 * An encrypted value is the text `v<key id>.<nonce>.<tag>.<ciphertext>`, whose last three parts are base64url.
 */
export class CredentialCipher {
  private readonly keys = new Map<string, Uint8Array>();
  private readonly currentId: string | null;

  /** Throws RangeError on no key, a repeated or unusable id, or a key that is not 32 bytes. */
  constructor(options: CipherKeys) {
    const keys = options === 'disabled' ? [] : options.keys;
    for (const { id, key } of keys) {
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw new RangeError('Key id must be 1 to 64 of A-Z a-z 0-9 _ -');
      if (key.length !== KEY_BYTES) throw new RangeError(`Key ${id} must have ${KEY_BYTES} bytes`);
      if (this.keys.has(id)) throw new RangeError(`Key id ${id} appears twice`);
      this.keys.set(id, key);
    }
    if (options !== 'disabled' && keys.length === 0) throw new RangeError('At least one key is needed');
    this.currentId = keys[0]?.id ?? null;
  }

  get isAvailable(): boolean {
    return this.currentId !== null;
  }

  /**
   * Returns the id of the key that encrypts new values. Throws {@link CryptographyUnavailableError} when encryption is
   * off.
   */
  get firstKeyId(): string {
    return this.requireCurrentId();
  }

  /** Returns the ids of the keys that only decrypt, or none when encryption is off. */
  get olderKeyIds(): string[] {
    return [...this.keys.keys()].slice(1);
  }

  /** Returns the envelope of a value. Throws {@link CryptographyUnavailableError} when encryption is off. */
  encrypt(plaintext: string, context: CipherContext): string {
    const id = this.requireCurrentId();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.keyOf(id), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(additionalData(id, context));
    const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
    return `v${id}.${[nonce, cipher.getAuthTag(), ciphertext].map((part) => part.toString('base64url')).join('.')}`;
  }

  /**
   * Returns the value of an envelope. Throws {@link DecryptionError} when the envelope was changed or comes from
   * another location, and {@link CryptographyUnavailableError} when encryption is off.
   */
  decrypt(envelope: string, context: CipherContext): string {
    this.requireCurrentId();
    const { id, nonce, tag, ciphertext } = parseEnvelope(envelope);
    try {
      const decipher = createDecipheriv(ALGORITHM, this.keyOf(id), nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(additionalData(id, context));
      decipher.setAuthTag(tag);
      return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new DecryptionError();
    }
  }

  private requireCurrentId(): string {
    if (this.currentId === null) throw new CryptographyUnavailableError();
    return this.currentId;
  }

  private keyOf(id: string): Uint8Array {
    const key = this.keys.get(id);
    if (key === undefined) throw new DecryptionError();
    return key;
  }
}

interface Envelope {
  readonly id: string;
  readonly nonce: Buffer;
  readonly tag: Buffer;
  readonly ciphertext: Buffer;
}

function parseEnvelope(envelope: string): Envelope {
  const match = ENVELOPE.exec(envelope);
  if (match === null) throw new DecryptionError();
  const [, id = '', ...parts] = match;
  const [nonce, tag, ciphertext] = parts.map((part) => {
    const bytes = Buffer.from(part, 'base64url');
    // The last digit may hold unused bits, which decoding ignores. Only the spelling that `encrypt` writes is accepted.
    if (bytes.toString('base64url') !== part) throw new DecryptionError();
    return bytes;
  });
  if (nonce === undefined || tag === undefined || ciphertext === undefined) throw new DecryptionError();
  return { id, nonce, tag, ciphertext };
}

/** Encodes each part with its length before it, so that different locations never give the same bytes. */
function additionalData(keyId: string, context: CipherContext): Buffer {
  const parts = [context.table, context.column, context.rowId, context.tenantId, keyId].map((part) =>
    Buffer.from(part),
  );
  return Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      return [length, part];
    }),
  );
}
