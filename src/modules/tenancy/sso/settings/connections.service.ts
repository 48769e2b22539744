import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../../../config/index.js';
import { CredentialCipher, CryptographyUnavailableError } from '../../../../platform/crypto/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { apiBaseOf } from '../../../../platform/http/api-base.js';
import { newId } from '../../../../platform/ids/index.js';
import type { OrganizationScope } from '../../../access/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { OrganizationAuthorization } from '../../organizations/index.js';
import { CLIENT_SECRET, type SsoConnection } from '../sso-connection.entity.js';
import { MAX_CONNECTIONS, type NewSsoConnection, SsoConnectionsRepository } from '../sso-connections.repository.js';
import { SsoRefusalsRepository } from '../sso-refusals.repository.js';
import { issuerOf } from '../sso-sign-in.service.js';
import { ConnectionIdentitiesRepository } from './connection-identities.repository.js';
import { type ConnectionChange, ConnectionSettingsService } from './connection-settings.service.js';
import {
  type ChangeConnectionRequest,
  type CreateConnectionRequest,
  ssoConnectionResponse,
  type SsoConnectionResponse,
  type SsoRefusalResponse,
} from './connections.dto.js';
import { ClientSecretsUnavailable, ConnectionNotFound, TooManyConnections } from './sso-settings.errors.js';

const NOTHING: Omit<NewSsoConnection, 'id' | 'protocol' | 'label'> = {
  isEnabled: true,
  issuer: null,
  clientId: null,
  clientSecret: null,
  scopes: null,
  groupsClaim: null,
  trustsEmail: false,
  entityId: null,
  signInUrl: null,
  certificates: null,
  emailAttribute: null,
  groupsAttribute: null,
  allowsIdpInitiated: false,
};

/** Manages the identity providers of an organization. */
@Injectable()
export class SsoConnectionsService {
  constructor(
    private readonly database: Database,
    private readonly connections: SsoConnectionsRepository,
    private readonly identities: ConnectionIdentitiesRepository,
    private readonly refusals: SsoRefusalsRepository,
    private readonly settings: ConnectionSettingsService,
    private readonly cipher: CredentialCipher,
    private readonly authorization: OrganizationAuthorization,
    private readonly audit: AuditWriter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async list(scope: OrganizationScope, request: Request): Promise<SsoConnectionResponse[]> {
    return (await this.connections.list(scope)).map((connection) => this.response(connection, request));
  }

  async get(scope: OrganizationScope, id: string, request: Request): Promise<SsoConnectionResponse> {
    return this.response(await this.found(scope, id), request);
  }

  async create(
    scope: OrganizationScope,
    body: CreateConnectionRequest,
    request: Request,
  ): Promise<SsoConnectionResponse> {
    const { protocol, label } = body;
    const change = await this.settings.read(scope, protocol, body, true);
    const id = newId();
    const secret = this.sealed(scope, id, body.client_secret);
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      if ((await this.connections.list(scope, tx)).length >= MAX_CONNECTIONS) throw new TooManyConnections();
      await this.connections.insert(scope, { ...NOTHING, ...change, ...secret, id, protocol, label }, tx);
      const connection = await this.found(scope, id, tx);
      await this.record(scope, 'created', connection, {}, tx);
      return this.response(connection, request);
    });
  }

  /** Changes a connection. A request that changes nothing writes no audit event. */
  async change(
    scope: OrganizationScope,
    id: string,
    body: ChangeConnectionRequest,
    request: Request,
  ): Promise<SsoConnectionResponse> {
    const { protocol } = await this.found(scope, id);
    const change = await this.settings.read(scope, protocol, body, false);
    const secret = this.sealed(scope, id, body.client_secret);
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const before = await this.found(scope, id, tx);
      const changed = [...changedMembers(before, change), ...('clientSecret' in secret ? ['client_secret'] : [])];
      if (changed.length === 0) return this.response(before, request);
      await this.connections.update(scope, id, { ...change, ...secret }, tx);
      const connection = await this.found(scope, id, tx);
      if (issuerOf(connection) !== issuerOf(before)) await this.identities.removeOf(before, tx);
      await this.record(scope, 'changed', connection, { changed }, tx);
      return this.response(connection, request);
    });
  }

  async delete(scope: OrganizationScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const connection = await this.found(scope, id, tx);
      await this.connections.delete(scope, id, tx);
      await this.identities.removeOf(connection, tx);
      await this.record(scope, 'deleted', connection, {}, tx);
    });
  }

  /** Returns the newest refused sign-ins of a connection. */
  async refusalsOf(scope: OrganizationScope, id: string): Promise<SsoRefusalResponse[]> {
    const refusals = await this.refusals.newest(scope, id);
    if (refusals === null) throw new ConnectionNotFound();
    return refusals.map(({ at, reason, ip }) => ({ at: at.toISOString(), reason, ip }));
  }

  private sealed(
    { organizationId }: OrganizationScope,
    id: string,
    secret: string | null | undefined,
  ): Pick<NewSsoConnection, 'clientSecret'> | Record<string, never> {
    if (secret === undefined) return {};
    if (secret === null) return { clientSecret: null };
    try {
      return {
        clientSecret: this.cipher.encrypt(secret, CLIENT_SECRET.placeOf({ id, tenantId: organizationId })),
      };
    } catch (error) {
      if (error instanceof CryptographyUnavailableError) throw new ClientSecretsUnavailable();
      throw error;
    }
  }

  private async found(scope: OrganizationScope, id: string, db?: Db): Promise<SsoConnection> {
    const connection = await this.connections.find(scope, id, db);
    if (connection === null) throw new ConnectionNotFound();
    return connection;
  }

  private response(connection: SsoConnection, request: Request): SsoConnectionResponse {
    return ssoConnectionResponse(connection, apiBaseOf(this.config.http.publicApiUrl, request));
  }

  private record(
    { organizationId, userId: actorUserId }: OrganizationScope,
    act: 'created' | 'changed' | 'deleted',
    { id, label, protocol }: SsoConnection,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    return this.audit.record(
      {
        actorUserId,
        organizationId,
        action: `sso_connection.${act}`,
        targetType: 'sso_connection',
        targetId: id,
        detail: { label, protocol, ...detail },
      },
      tx,
    );
  }
}

/** Returns the names of the changed members, as they are in requests. */
function changedMembers(before: SsoConnection, change: ConnectionChange): string[] {
  const members = Object.keys(change) as (keyof ConnectionChange)[];
  return members
    .filter((member) => JSON.stringify(change[member]) !== JSON.stringify(before[member]))
    .map((member) => member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}
