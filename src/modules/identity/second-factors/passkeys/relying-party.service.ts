import { Inject, Injectable, Logger } from '@nestjs/common';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  VerifiedAuthenticationResponse,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import type { UserId } from '../../../access/index.js';
import { CONFIG, type Config } from '../../../../config/index.js';
import type { User } from '../../users/index.js';
import type { AssertionCredential, RegistrationCredential } from './credentials.dto.js';

/** EdDSA, ES256 and RS256; named, so that the list does not follow what a runtime can do. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = 300_000;

/** Loaded with the first passkey: with its certificates and encodings it takes a tenth of an idle service's memory. */
const webauthn = () => import('@simplewebauthn/server');

/** A credential as options name it. */
export interface KnownCredential {
  readonly credentialId: Buffer;
  readonly transports: readonly string[];
}

export type RegistrationInfo = NonNullable<VerifiedRegistrationResponse['registrationInfo']>;
export type AssertionInfo = VerifiedAuthenticationResponse['authenticationInfo'];

/** This service as WebAuthn's relying party. It judges what credentials say of themselves, not whose they are. */
@Injectable()
export class RelyingPartyService {
  private readonly logger = new Logger('passkeys');

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  async creationOptions(
    user: User,
    challenge: string,
    known: readonly KnownCredential[],
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { rpId, rpName } = this.config.webauthn;
    const { generateRegistrationOptions } = await webauthn();
    return generateRegistrationOptions({
      rpID: rpId,
      rpName,
      userID: new Uint8Array(userHandleOf(user.id)),
      userName: user.email,
      userDisplayName: user.name ?? user.email,
      challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
      timeout: TIMEOUT_MS,
      attestationType: 'none',
      excludeCredentials: known.map(descriptorOf),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  }

  /** `known` empty: the authenticator offers whichever passkeys it holds for this service. */
  async requestOptions(
    challenge: string,
    known: readonly KnownCredential[],
    userVerification: 'required' | 'preferred',
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({
      rpID: this.config.webauthn.rpId,
      challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
      timeout: TIMEOUT_MS,
      allowCredentials: known.map(descriptorOf),
      userVerification,
    });
  }

  /** Null for anything but a well-formed answer to the challenge from one of our pages. */
  async verifyRegistration(credential: RegistrationCredential, challenge: string): Promise<RegistrationInfo | null> {
    const { rpId, origins } = this.config.webauthn;
    if (clientDataOf(credential)?.crossOrigin === true) return null;
    const { verifyRegistrationResponse } = await webauthn();
    const verified = await this.refusedAsNull(
      verifyRegistrationResponse({
        response: { ...credential, type: 'public-key', clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: [...origins],
        expectedRPID: rpId,
        requireUserVerification: false,
        supportedAlgorithmIDs: ALGORITHMS,
      }),
    );
    return verified?.registrationInfo ?? null;
  }

  /**
   * Null for anything but a rightly signed answer to the challenge from one of our pages, with its user present.
   * The signature counter is left to the caller, who must know that the signature is good to make sense of it.
   */
  async verifyAssertion(
    credential: AssertionCredential,
    expected: { challenge: string; publicKey: Buffer; userVerification: 'required' | 'preferred' },
  ): Promise<AssertionInfo | null> {
    const { rpId, origins } = this.config.webauthn;
    if (clientDataOf(credential)?.crossOrigin === true) return null;
    const { userHandle, ...response } = credential.response;
    const { verifyAuthenticationResponse } = await webauthn();
    const verified = await this.refusedAsNull(
      verifyAuthenticationResponse({
        response: {
          ...credential,
          response: { ...response, userHandle: userHandle ?? undefined },
          type: 'public-key',
          clientExtensionResults: {},
        },
        expectedChallenge: expected.challenge,
        expectedOrigin: [...origins],
        expectedRPID: rpId,
        requireUserVerification: expected.userVerification === 'required',
        credential: { id: credential.id, publicKey: new Uint8Array(expected.publicKey), counter: 0 },
      }),
    );
    return verified?.verified === true ? verified.authenticationInfo : null;
  }

  /** The library throws plain errors for whatever it does not like in a credential; a wrong origin is worth finding. */
  private async refusedAsNull<T>(verification: Promise<T>): Promise<T | null> {
    try {
      return await verification;
    } catch (error) {
      this.logger.debug(`a credential was refused: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  }
}

/** The handle authenticators keep with a passkey: the 16 bytes of the account's id. */
export function userHandleOf(userId: UserId): Buffer {
  return Buffer.from(userId.replaceAll('-', ''), 'hex');
}

/** The challenge a credential claims to answer; null when its client data cannot be read. */
export function challengeOf(credential: AssertionCredential | RegistrationCredential): string | null {
  const challenge = clientDataOf(credential)?.challenge;
  return typeof challenge === 'string' ? challenge : null;
}

function clientDataOf(credential: AssertionCredential | RegistrationCredential): Record<string, unknown> | null {
  try {
    const text = Buffer.from(credential.response.clientDataJSON, 'base64url').toString('utf8');
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function descriptorOf({ credentialId, transports }: KnownCredential): { id: string; transports: string[] } {
  return { id: credentialId.toString('base64url'), transports: [...transports] };
}
