import { Injectable } from '@nestjs/common';
import { type Credentialed, HookAuthenticator, type HookScope, RequestMemo } from '../../../access/index.js';
import { BackgroundWork } from '../../../../platform/background/background-work.js';
import { FairSemaphore } from '../../../../platform/concurrency/index.js';
import {
  CredentialCipher,
  CryptographyUnavailableError,
  DecryptionError,
  sha256,
} from '../../../../platform/crypto/index.js';
import { domainError } from '../../../../platform/http/domain-error.js';
import { addressBucket } from '../../../../platform/rate-limit/index.js';
import { CREDENTIAL_LOOKUPS, EventSourceDisabled } from '../../api-keys/index.js';
import { type FailureReason, IngestionFailuresRecorder } from '../../ingestion-failures/index.js';
import { HookCredentialsUnavailable } from '../event-sources.errors.js';
import { HOOK_SECRET } from './source-hook.entity.js';
import { type HookIdentity, SourceHooksReader } from './source-hooks.reader.js';

/** The path of a webhook. No other route lies below this path. */
const PATH = /^\/intake\/hooks\/([0-9a-f]{32})(?:\?|$)/;

export class HookNotFound extends domainError(404, 'Webhook address not found') {}

type Asking = Credentialed & { readonly ip?: string | undefined };

/** How the webhooks of a source are verified, with the decrypted secret. */
export type OpenedHook = Pick<HookIdentity, 'scheme' | 'secret' | 'header' | 'encoding' | 'prefix'>;

/**
 * Finds the Event Source of a webhook. Nothing is cached, so a rotated address and a disabled source are refused by
 * every instance at once.
 */
@Injectable()
export class SourceHookAuthenticator extends HookAuthenticator {
  private readonly slots = new FairSemaphore(CREDENTIAL_LOOKUPS);
  private readonly identities = new RequestMemo<Promise<HookIdentity | null>>('webhook');

  constructor(
    private readonly hooks: SourceHooksReader,
    private readonly cipher: CredentialCipher,
    private readonly failures: IngestionFailuresRecorder,
    private readonly background: BackgroundWork,
  ) {
    super();
  }

  async authenticate(request: Asking): Promise<HookScope> {
    const identity = await this.identityOf(request);
    if (identity === null) throw new HookNotFound();
    if (!identity.isEnabled) {
      await this.refuse(identity, 'source_disabled', EventSourceDisabled.status, request.requestId ?? null);
      throw new EventSourceDisabled();
    }
    const { projectId, organizationId, sourceId } = identity;
    return { kind: 'hook', projectId, organizationId, sourceId };
  }

  /** Returns whether the request is sent to an address for webhooks, which may be unknown. */
  isHook(request: Asking): boolean {
    return addressOf(request) !== null;
  }

  /** Returns the source whose address the request names, looked up once a request. Null: the address is unknown. */
  identityOf(request: Asking): Promise<HookIdentity | null> {
    return this.identities.of(request, async () => {
      const address = addressOf(request);
      if (address === null) return null;
      return this.slots.run(addressBucket(request.ip), () => this.hooks.identify(sha256(Buffer.from(address, 'hex'))));
    });
  }

  /** Decrypts the secret of a source. @throws HookCredentialsUnavailable when encryption is off or the key is gone */
  open(identity: HookIdentity): OpenedHook {
    const { scheme, header, encoding, prefix, secret, sourceId: id, projectId: tenantId } = identity;
    if (secret === null) return { scheme, header, encoding, prefix, secret };
    try {
      const opened = this.cipher.decrypt(secret, HOOK_SECRET.placeOf({ id, tenantId }));
      return { scheme, header, encoding, prefix, secret: opened };
    } catch (error) {
      if (error instanceof CryptographyUnavailableError || error instanceof DecryptionError) {
        throw new HookCredentialsUnavailable();
      }
      throw error;
    }
  }

  /** Records a refused webhook for the owner of the source. Never rejects. */
  refuse(
    { projectId, sourceId }: Pick<HookIdentity, 'projectId' | 'sourceId'>,
    reasonCode: FailureReason,
    statusCode: number,
    requestId: string | null,
  ): Promise<void> {
    return this.failures.record({ apiKeyId: null, projectId, sourceId }, { reasonCode, statusCode, requestId });
  }

  /** Records that a rate limit refused a webhook. The request does not wait for the record. */
  limited(request: Asking): void {
    const work = async (): Promise<void> => {
      const identity = await this.identityOf(request);
      if (identity !== null) await this.refuse(identity, 'rate_limited', 429, request.requestId ?? null);
    };
    this.background.start('record', {
      name: 'refusal by a rate limit',
      share: addressBucket(request.ip),
      work,
    });
  }
}

function addressOf({ originalUrl, url }: Asking): string | null {
  return PATH.exec(originalUrl ?? url ?? '')?.[1] ?? null;
}
