import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { SecretsReader } from '../../../entitlement/secrets/index.js';
import { headerValueFault, PROTECTED_VALUE_LENGTH } from '../drivers/header-rules.js';
import { ChannelsRepository } from './channels.repository.js';
import { SecretText } from '../../templates/index.js';
import { HeaderVault } from './header-vault.js';
import type { ProtectedHeader } from './protected-header.entity.js';
import { keyOfSigningSecret, type SealedSigningSecrets, SigningVault } from './signing-vault.js';
import { SigningUnavailable } from '../delivery.errors.js';

/** A channel as it was read when its attempt was claimed. */
interface ClaimedChannel extends Pick<ProjectScope, 'projectId'>, SealedSigningSecrets {
  readonly channelId: string;
  /** `updated_at` of the channel, as text of the database. */
  readonly channelUpdatedAt: string;
  readonly headers: readonly Pick<ProtectedHeader, 'id' | 'name' | 'value'>[];
}

/** The decrypted headers of one send, and the keys that sign it. */
export interface OpenedHeaders {
  /** Header values by name, with the current values of their secrets filled in. */
  readonly values: Readonly<Record<string, string>>;
  /** The keys of the signing secrets, the newest first. */
  readonly signingKeys: readonly Buffer[];
  /** Texts that must not appear in evidence: the header values, each secret in them, and the signing secrets. */
  readonly confidential: readonly string[];
  /** Records that the secrets were used. Never rejects. */
  noteUse(): Promise<void>;
}

/** A secret has been deleted or cannot be decrypted, or the value with its secrets is not valid in a header. */
export class UnbuildableHeader extends Error {
  override readonly name = 'UnbuildableHeader';
}

/** The channel or its headers have changed since the attempt was claimed. */
export class ChannelChanged extends Error {
  override readonly name = 'ChannelChanged';
}

/** Decrypts the protected headers and the signing secrets of a channel for one send. */
@Injectable()
export class ProtectedHeaderOpener {
  constructor(
    private readonly vault: HeaderVault,
    private readonly signing: SigningVault,
    private readonly secrets: SecretsReader,
    private readonly channels: ChannelsRepository,
  ) {}

  /**
   * Checks that the credentials of the channel can be decrypted. A send for which a caller waits calls this before
   * anything is written.
   * @throws ProtectedHeadersUnavailable, SigningUnavailable when the channel has credentials that cannot be decrypted
   * now
   */
  async assertAvailable(scope: Pick<ProjectScope, 'projectId'>, channelId: string, db: Db): Promise<void> {
    if (this.vault.isAvailable) return;
    if ((await this.channels.headers(scope, channelId, db)).length > 0) this.vault.assertAvailable();
    const channel = await this.channels.find(scope, channelId, db);
    if (channel !== null && channel.signingSecret !== null) throw new SigningUnavailable();
  }

  /**
   * @param hasOtherSecrets whether the send also has secrets outside of its headers, which the caller has already read
   * @throws CryptographyUnavailableError, DecryptionError as {@link HeaderVault.open}, UnbuildableHeader,
   * ChannelChanged
   */
  async open(claimed: ClaimedChannel, hasOtherSecrets = false): Promise<OpenedHeaders> {
    const signingSecrets = this.signing.open(claimed, claimed.channelId, claimed);
    const headers = claimed.headers.map((header) => ({
      name: header.name,
      template: SecretText.of(this.vault.open(claimed, header)),
    }));
    const names = [...new Set(headers.flatMap(({ template }) => template.names))];
    const known = await this.secrets.present(claimed, names, PROTECTED_VALUE_LENGTH);
    if (names.length > 0 || hasOtherSecrets) await this.assertUnchanged(claimed);
    const values = headers.map(({ name, template }): readonly [name: string, value: string] => {
      const value = template.filled((secret) => known.get(secret)?.value, PROTECTED_VALUE_LENGTH);
      if (value === null || headerValueFault(value) !== undefined) throw new UnbuildableHeader();
      return [name, value];
    });
    const used = [...known.values()];
    const confidential = [...values.map(([, value]) => value), ...used.flatMap(({ value }) => value ?? [])];
    return {
      values: Object.fromEntries(values),
      signingKeys: signingSecrets.map(keyOfSigningSecret),
      confidential: [...new Set([...confidential, ...signingSecrets])],
      noteUse: () => this.secrets.noteUse(claimed, used),
    };
  }

  /**
   * Checks, after the secrets are read, that the channel has not changed since the claim. If a person changed the
   * address and then replaced a secret, the new secret must not reach the old address. If a person changed the headers
   * and then deleted a secret that they no longer refer to, the send must not fail for the missing secret.
   */
  private async assertUnchanged({ channelId, channelUpdatedAt, ...scope }: ClaimedChannel): Promise<void> {
    if (!(await this.channels.isUnchanged(scope, channelId, channelUpdatedAt))) throw new ChannelChanged();
  }
}
