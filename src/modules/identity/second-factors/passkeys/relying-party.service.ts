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
import { errorMessage } from '../../../../platform/errors/index.js';

/** EdDSA, ES256 and RS256. The list is explicit, so that it does not change with the algorithms of the runtime. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = 300_000;

/**
 * The library is loaded when the first passkey is used. With its certificates and encodings the library takes a tenth
 * of the memory of an idle service.
 */
const webauthn = () => import('@simplewebauthn/server');

/** A registered credential, as the options of a ceremony list it. */
export interface KnownCredential {
  readonly credentialId: Buffer;
  readonly transports: readonly string[];
}

export type RegistrationInfo = NonNullable<VerifiedRegistrationResponse['registrationInfo']>;
export type AssertionInfo = VerifiedAuthenticationResponse['authenticationInfo'];

/**
 * This service in the role of the WebAuthn relying party. The class verifies credentials, but not to which account they
 * belong.
 */
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

  /**
   * Returns the options of an assertion. When `known` is empty, the authenticator offers every passkey that it has for
   * this service.
   */
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

  /**
   * Returns the registration, or null unless the credential is a well-formed response to the challenge from one of our
   * pages.
   */
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
   * Returns the assertion, or null unless it is a correctly signed response to the challenge from one of our pages,
   * with the user present. The caller checks the signature counter, which means something only when the signature is
   * valid.
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

  /**
   * Returns null when the library rejects a credential, which it reports as a plain error. The reason is logged, for
   * example to find a wrongly configured origin.
   */
  private async refusedAsNull<T>(verification: Promise<T>): Promise<T | null> {
    try {
      return await verification;
    } catch (error) {
      this.logger.debug(`a credential was refused: ${errorMessage(error)}`);
      return null;
    }
  }
}

/** Returns the user handle that authenticators store with a passkey: the 16 bytes of the account's id. */
export function userHandleOf(userId: UserId): Buffer {
  return Buffer.from(userId.replaceAll('-', ''), 'hex');
}

/** Returns the challenge that a credential claims to answer, or null when its client data cannot be read. */
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
