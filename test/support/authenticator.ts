import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The parts of WebAuthn options that an authenticator reads. */
export interface CeremonyOptions {
  readonly challenge: string;
  readonly user?: { readonly id: string };
}

/** The values that a test falsifies in the answers of the browser or the authenticator. */
export interface Lies {
  origin?: string;
  crossOrigin?: boolean;
  type?: string;
  challenge?: string;
  rpId?: string;
  counter?: number;
  userPresent?: boolean;
  userVerified?: boolean;
  backupEligible?: boolean;
  backedUp?: boolean;
  /** Null leaves the user handle out. */
  userHandle?: string | null;
}

export interface AssertionJson {
  id: string;
  rawId: string;
  type: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

/** An ES256 passkey in software. It signs any data that a test gives. */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32);
  counter = 0;
  private readonly keys: { publicKey: KeyObject; privateKey: KeyObject };
  private userHandle: string | undefined;

  constructor(
    private readonly defaults: Lies = {},
    keys = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ) {
    this.keys = keys;
  }

  get id(): string {
    return base64url(this.credentialId);
  }

  create(options: CeremonyOptions, lies: Lies = {}): object {
    this.userHandle = options.user?.id;
    const said = { ...this.defaults, ...lies };
    const attested = Buffer.concat([
      Buffer.alloc(16),
      uint(this.credentialId.length, 2),
      this.credentialId,
      coseKey(this.keys.publicKey),
    ]);
    const authData = Buffer.concat([this.authenticatorData(said, 0x40), attested]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      Buffer.from([0xa0]),
      cborText('authData'),
      cborBytes(authData),
    ]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
      response: {
        clientDataJSON: base64url(clientData('webauthn.create', options, said)),
        attestationObject: base64url(attestation),
        transports: ['internal', 'hybrid'],
      },
    };
  }

  /** Increments the counter, unless the test sets a counter. */
  get(options: CeremonyOptions, lies: Lies = {}): AssertionJson {
    this.counter = lies.counter ?? this.counter + 1;
    const said: Lies = { ...this.defaults, ...lies, counter: this.counter };
    const authenticatorData = this.authenticatorData(said, 0);
    const client = clientData('webauthn.get', options, said);
    const handle = lies.userHandle === undefined ? this.userHandle : (lies.userHandle ?? undefined);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(sign('sha256', Buffer.concat([authenticatorData, sha256(client)]), this.keys.privateKey)),
        ...(handle !== undefined && { userHandle: handle }),
      },
    };
  }

  private authenticatorData(said: Lies, moreFlags: number): Buffer {
    const flags =
      moreFlags |
      (said.userPresent === false ? 0 : 0x01) |
      (said.userVerified === false ? 0 : 0x04) |
      (said.backupEligible === true ? 0x08 : 0) |
      (said.backedUp === true ? 0x10 : 0);
    return Buffer.concat([sha256(said.rpId ?? 'localhost'), Buffer.from([flags]), uint(said.counter ?? 0, 4)]);
  }
}

function clientData(type: string, options: CeremonyOptions, said: Lies): Buffer {
  return Buffer.from(
    JSON.stringify({
      type: said.type ?? type,
      challenge: said.challenge ?? options.challenge,
      origin: said.origin ?? 'http://localhost:3000',
      crossOrigin: said.crossOrigin ?? false,
    }),
  );
}

function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, 'base64url')),
  ]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  const isShort = bytes.length < 256;
  return Buffer.concat([Buffer.from([isShort ? 0x58 : 0x59]), uint(bytes.length, isShort ? 1 : 2), bytes]);
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}
