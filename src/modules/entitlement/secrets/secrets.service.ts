import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ProjectMemberScope, ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { providerOf } from '../../../platform/discovery/provider-of.js';
import { newId } from '../../../platform/ids/index.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { projectAct, ProjectActsService, ProjectIsArchived } from '../../tenancy/projects/index.js';
import { NO_USES, SecretUses } from './secret-uses.js';
import { SecretVault } from './secret-vault.js';
import {
  type CreateSecretRequest,
  type ReplaceSecretRequest,
  secretResponse,
  type SecretResponse,
} from './secrets.dto.js';
import { SecretInUse, SecretNotFound, TooManySecrets } from './secrets.errors.js';
import { SecretsRepository, type ToldSecret } from './secrets.repository.js';

/** Limits the list, which has no pages, and the number of secrets that headers may name. */
const MOST_SECRETS = 100;
/** A refused deletion names at most this many headers. */
const MOST_NAMED = 20;

/** Manages the secrets of a project. Values are written here, and read by {@link SecretsReader} alone. */
@Injectable()
export class SecretsService {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretsRepository,
    private readonly vault: SecretVault,
    private readonly acts: ProjectActsService,
    private readonly audit: AuditWriter,
    private readonly discovery: DiscoveryService,
  ) {}

  private get uses(): SecretUses {
    return providerOf(this.discovery, SecretUses) ?? NO_USES;
  }

  async list(scope: ProjectScope): Promise<SecretResponse[]> {
    const [secrets, counts] = await Promise.all([this.secrets.list(scope), this.uses.counts(scope)]);
    return secrets.map((secret) => secretResponse(secret, counts.get(secret.id) ?? 0));
  }

  /** @throws SecretNameInUse by the constraint of names, which also rolls back the transaction */
  async create(scope: ProjectMemberScope, request: CreateSecretRequest): Promise<SecretResponse> {
    const { name, description = null } = request;
    const first = { id: newId(), version: 1 };
    const value = this.vault.seal(scope, first, request.value);
    return this.database.transaction(async (tx) => {
      await this.beginChange(scope, tx);
      if ((await this.secrets.countOf(scope, tx)) >= MOST_SECRETS) throw new TooManySecrets();
      const { userId } = scope;
      await this.secrets.insert(
        scope,
        { ...first, name, description, value, createdBy: userId, updatedBy: userId },
        tx,
      );
      return this.recorded(scope, 'created', first.id, tx);
    });
  }

  /** Replacements of one secret run one after another, and each is a new version. */
  async replace(scope: ProjectMemberScope, id: string, request: ReplaceSecretRequest): Promise<SecretResponse> {
    this.vault.assertAvailable();
    return this.database.transaction(async (tx) => {
      await this.beginChange(scope, tx);
      const before = await this.secrets.lock(scope, id, tx);
      if (before === null) throw new SecretNotFound();
      const next = { id, version: before.version + 1 };
      const { description = before.description } = request;
      const value = this.vault.seal(scope, next, request.value);
      await this.secrets.replace(scope, { ...next, description, value, updatedBy: scope.userId }, tx);
      return this.recorded(scope, 'replaced', id, tx);
    });
  }

  /** Works without encryption keys, so that secrets can be deleted when the keys are lost. */
  async delete(scope: ProjectMemberScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.acts.begin(scope, tx);
      const secret = await this.secrets.lockForRemoval(scope, id, tx);
      if (secret === null) throw new SecretNotFound();
      const uses = await this.uses.of(scope, id, MOST_NAMED, tx);
      if (uses.length > 0) throw new SecretInUse(uses);
      await this.secrets.remove(scope, id, tx);
      await this.record(scope, 'deleted', secret, tx);
    });
  }

  /** @throws ProjectIsArchived */
  private async beginChange(scope: ProjectMemberScope, tx: Db): Promise<void> {
    const { project } = await this.acts.begin(scope, tx);
    if (project.archivedAt !== null) throw new ProjectIsArchived();
  }

  private async recorded(
    scope: ProjectMemberScope,
    act: 'created' | 'replaced',
    id: string,
    tx: Db,
  ): Promise<SecretResponse> {
    const secret = await this.secrets.find(scope, id, tx);
    if (secret === null) throw new SecretNotFound();
    await this.record(scope, act, secret, tx);
    return secretResponse(secret, (await this.uses.counts(scope, tx)).get(id) ?? 0);
  }

  private record(
    scope: ProjectMemberScope,
    act: string,
    { id, name, version }: Pick<ToldSecret, 'id' | 'name' | 'version'>,
    tx: Db,
  ): Promise<void> {
    return this.audit.record(projectAct(scope, `secret.${act}`, { name, version }, { type: 'secret', id }), tx);
  }
}
