import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { SecretsReader } from '../../../entitlement/secrets/index.js';
import { headerValueFault, PROTECTED_VALUE_LENGTH } from '../drivers/header-rules.js';
import { ChannelsRepository } from './channels.repository.js';
import { HeaderTemplate } from './header-template.js';
import { HeaderVault } from './header-vault.js';
import type { ProtectedHeader } from './protected-header.entity.js';

/** A channel as an attempt was claimed with it. */
interface ClaimedChannel extends Pick<ProjectScope, 'projectId'> {
  readonly channelId: string;
  /** As the database writes it. */
  readonly channelUpdatedAt: string;
  readonly headers: readonly Pick<ProtectedHeader, 'id' | 'name' | 'value'>[];
}

/** The headers of one try, in plain. */
export interface OpenedHeaders {
  /** By name, with the present values of the secrets that they name. */
  readonly values: Readonly<Record<string, string>>;
  /** What evidence must not tell: the values, and each secret in them. */
  readonly confidential: readonly string[];
  /** Writes down that the secrets were used. Never rejects. */
  noteUse(): Promise<void>;
}

/** A secret that is gone or cannot be read, or with which the value is none of a header. */
export class UnbuildableHeader extends Error {
  override readonly name = 'UnbuildableHeader';
}

/** The address or the headers are not those that were claimed any more. */
export class ChannelChanged extends Error {
  override readonly name = 'ChannelChanged';
}

/** Opens the protected headers of a channel for one try. */
@Injectable()
export class ProtectedHeaderOpener {
  constructor(
    private readonly vault: HeaderVault,
    private readonly secrets: SecretsReader,
    private readonly channels: ChannelsRepository,
  ) {}

  /**
   * Called before anything is written for a send that a caller waits for.
   * @throws ProtectedHeadersUnavailable when the channel has headers that cannot be read now
   */
  async assertAvailable(scope: Pick<ProjectScope, 'projectId'>, channelId: string, db: Db): Promise<void> {
    if (this.vault.isAvailable) return;
    if ((await this.channels.headers(scope, channelId, db)).length > 0) this.vault.assertAvailable();
  }

  /** @throws CryptographyUnavailableError, DecryptionError as {@link HeaderVault.open}, UnbuildableHeader, ChannelChanged */
  async open(claimed: ClaimedChannel): Promise<OpenedHeaders> {
    const headers = claimed.headers.map((header) => ({
      name: header.name,
      template: HeaderTemplate.of(this.vault.open(claimed, header)),
    }));
    const names = [...new Set(headers.flatMap(({ template }) => template.names))];
    const known = await this.secrets.present(claimed, names, PROTECTED_VALUE_LENGTH);
    if (names.length > 0) await this.assertUnchanged(claimed);
    const values = headers.map(({ name, template }): readonly [name: string, value: string] => {
      const value = template.filled((secret) => known.get(secret)?.value, PROTECTED_VALUE_LENGTH);
      if (value === null || headerValueFault(value) !== undefined) throw new UnbuildableHeader();
      return [name, value];
    });
    const used = [...known.values()];
    return {
      values: Object.fromEntries(values),
      confidential: [...new Set([...values.map(([, value]) => value), ...used.flatMap(({ value }) => value ?? [])])],
      noteUse: () => this.secrets.noteUse(claimed, used),
    };
  }

  /**
   * Asked once the secrets are read, which are newer than the claim: somebody may have led the channel elsewhere and replaced
   * the secret since, and the new one is none of the old address's business; or have deleted the secret that a header no
   * longer names, which is no fault of the channel.
   */
  private async assertUnchanged({ channelId, channelUpdatedAt, ...scope }: ClaimedChannel): Promise<void> {
    if (!(await this.channels.isUnchanged(scope, channelId, channelUpdatedAt))) throw new ChannelChanged();
  }
}
