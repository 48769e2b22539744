import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { projectAct, ProjectAuthorization, ProjectIsArchived } from '../../tenancy/projects/index.js';
import { SecretReferencesService } from './secret-references.service.js';
import { SecretVault } from './secret-vault.js';
import {
  type CreateSecretRequest,
  type ReplaceSecretRequest,
  secretResponse,
  type SecretResponse,
} from './secrets.dto.js';
import { SecretInUse, SecretNotFound, TooManySecrets } from './secrets.errors.js';
import { SecretsRepository, type ToldSecret } from './secrets.repository.js';

/** Limits the list, which has no pages, and the number of secrets that other places may name. */
const MOST_SECRETS = 100;
/** A refused deletion names at most this many places that use the secret. */
const MOST_NAMED = 20;

/** Manages the secrets of a project. Values are written here, and read by {@link SecretsReader} alone. */
@Injectable()
export class SecretsService {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretsRepository,
    private readonly vault: SecretVault,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
    private readonly references: SecretReferencesService,
  ) {}

  async list(scope: ProjectScope): Promise<SecretResponse[]> {
    const secrets = await this.secrets.list(scope);
    const counts = await this.references.counts(scope, secrets);
    return secrets.map((secret, at) => secretResponse(secret, counts[at] ?? 0));
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
      await this.authorization.lockAndAuthorize(scope, tx);
      const secret = await this.secrets.lockForRemoval(scope, id, tx);
      if (secret === null) throw new SecretNotFound();
      const references = await this.references.first(scope, secret, MOST_NAMED, tx);
      if (references.length > 0) throw new SecretInUse(references);
      await this.secrets.remove(scope, id, tx);
      await this.record(scope, 'deleted', secret, tx);
    });
  }

  /** @throws ProjectIsArchived */
  private async beginChange(scope: ProjectMemberScope, tx: Db): Promise<void> {
    const { project } = await this.authorization.lockAndAuthorize(scope, tx);
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
    const [count = 0] = await this.references.counts(scope, [secret], tx);
    return secretResponse(secret, count);
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
