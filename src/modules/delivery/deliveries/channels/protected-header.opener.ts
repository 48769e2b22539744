import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { SecretsReader } from '../../../entitlement/secrets/index.js';
import { headerValueFault, PROTECTED_VALUE_LENGTH } from '../drivers/header-rules.js';
import { ChannelsRepository } from './channels.repository.js';
import { HeaderTemplate } from './header-template.js';
import { HeaderVault } from './header-vault.js';
import type { ProtectedHeader } from './protected-header.entity.js';

type Tenant = Pick<ProjectScope, 'projectId'>;
type SealedHeader = Pick<ProtectedHeader, 'id' | 'name' | 'value'>;

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

/** How often headers are read again that somebody goes on changing. */
const MOST_ROUNDS = 3;

/** Opens the protected headers of a channel for one try. */
@Injectable()
export class ProtectedHeaderOpener {
  constructor(
    private readonly vault: HeaderVault,
    private readonly secrets: SecretsReader,
    private readonly channels: ChannelsRepository,
  ) {}

  /**
   * @param headers as they were claimed. They are older than the secrets: a header may have been changed since and the secret
   *   deleted that it had named, so what cannot be built is read again before it counts as such.
   * @throws CryptographyUnavailableError, DecryptionError as {@link HeaderVault.open}, UnbuildableHeader
   */
  async open(scope: Tenant, channelId: string, headers: readonly SealedHeader[]): Promise<OpenedHeaders> {
    for (let round = 1; ; round += 1) {
      const opened = await this.build(scope, headers);
      if (opened !== null) return opened;
      const present = await this.channels.headers(scope, channelId);
      if (round === MOST_ROUNDS || isSame(headers, present)) throw new UnbuildableHeader();
      headers = present;
    }
  }

  private async build(scope: Tenant, headers: readonly SealedHeader[]): Promise<OpenedHeaders | null> {
    const opened = headers.map((header) => ({
      name: header.name,
      template: HeaderTemplate.of(this.vault.open(scope, header)),
    }));
    const names = [...new Set(opened.flatMap(({ template }) => template.names))];
    const known = await this.secrets.present(scope, names, PROTECTED_VALUE_LENGTH);
    const entries: (readonly [name: string, value: string])[] = [];
    for (const { name, template } of opened) {
      const value = template.filled((secret) => known.get(secret)?.value, PROTECTED_VALUE_LENGTH);
      if (value === null || headerValueFault(value) !== undefined) return null;
      entries.push([name, value]);
    }
    const used = [...known.values()];
    return {
      values: Object.fromEntries(entries),
      confidential: [...new Set([...entries.map(([, value]) => value), ...used.flatMap(({ value }) => value ?? [])])],
      noteUse: () => this.secrets.noteUse(scope, used),
    };
  }
}

function isSame(some: readonly SealedHeader[], others: readonly SealedHeader[]): boolean {
  const values = new Map(others.map(({ id, value }) => [id, value]));
  return some.length === others.length && some.every(({ id, value }) => values.get(id) === value);
}
