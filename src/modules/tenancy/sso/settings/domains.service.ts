import { Injectable } from '@nestjs/common';
import {
  asOrganizationId,
  OrganizationNotFound,
  type OrganizationScope,
  type UserId,
  type UserScope,
} from '../../../access/index.js';
import { randomToken } from '../../../../platform/crypto/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { OrganizationAuthorization, OrganizationsReader } from '../../organizations/index.js';
import type { SsoDomain } from '../sso-domain.entity.js';
import { DomainClaimsRepository } from './domain-claims.repository.js';
import { readDomain } from './domain-name.js';
import { DomainRecords } from './domain-records.js';
import { type AddDomainRequest, ssoDomainResponse, type SsoDomainResponse } from './domains.dto.js';
import {
  DomainAlreadyAdded,
  DomainNotFound,
  DomainOfAnother,
  DomainRecordDiffers,
  DomainRecordMissing,
  DomainUnanswered,
  TooManyDomains,
} from './sso-settings.errors.js';

const MAX_DOMAINS = 20;
const CHALLENGE_BYTES = 24;

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** Manages the domains of an organization. PostgreSQL ensures that only one organization has verified a domain. */
@Injectable()
export class SsoDomainsService {
  constructor(
    private readonly database: Database,
    private readonly claims: DomainClaimsRepository,
    private readonly records: DomainRecords,
    private readonly authorization: OrganizationAuthorization,
    private readonly organizations: OrganizationsReader,
    private readonly audit: AuditWriter,
  ) {}

  async list(scope: OrganizationScope): Promise<SsoDomainResponse[]> {
    return (await this.claims.list(scope)).map(ssoDomainResponse);
  }

  /** @throws DomainAlreadyAdded, by the unique constraint of domains */
  async add(scope: OrganizationScope, request: AddDomainRequest): Promise<SsoDomainResponse> {
    const read = readDomain(request.domain);
    if ('problem' in read) throw new Error(`The field has accepted a domain with a problem: ${read.problem}`);
    const claim = { id: newId(), domain: read.domain, challenge: randomToken(CHALLENGE_BYTES) };
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      if ((await this.claims.countOf(scope, tx)) >= MAX_DOMAINS) throw new TooManyDomains();
      if (await this.claims.isOfAnother(scope, claim.domain, tx)) throw new DomainOfAnother();
      await this.claims.insert(scope, claim, tx);
      await this.record(scope, scope.userId, 'added', claim, {}, tx);
      return ssoDomainResponse(await this.found(scope, claim.id, tx));
    });
  }

  /**
   * Verifies a domain. The record is looked up before the transaction, because a transaction must not wait for the
   * network.
   */
  async verify(scope: OrganizationScope, id: string): Promise<SsoDomainResponse> {
    const claim = await this.found(scope, id);
    if (claim.verifiedAt !== null) return ssoDomainResponse(claim);
    switch (await this.records.stateOf(claim, scope.organizationId)) {
      case 'missing':
        throw new DomainRecordMissing();
      case 'different':
        throw new DomainRecordDiffers();
      case 'unanswered':
        throw new DomainUnanswered();
      case 'present':
    }
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      return this.verified(scope, scope.userId, id, 'dns', tx);
    });
  }

  async approve(admin: UserScope, organization: string, id: string): Promise<SsoDomainResponse> {
    const tenant = { organizationId: asOrganizationId(organization) };
    return this.database.transaction(async (tx) => {
      await this.beginByPlatform(tenant, tx);
      return this.verified(tenant, admin.userId, id, 'platform', tx);
    });
  }

  async remove(scope: OrganizationScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      await this.removed(scope, scope.userId, id, {}, tx);
    });
  }

  async removeByPlatform(admin: UserScope, organization: string, id: string): Promise<void> {
    const tenant = { organizationId: asOrganizationId(organization) };
    await this.database.transaction(async (tx) => {
      await this.beginByPlatform(tenant, tx);
      await this.removed(tenant, admin.userId, id, { by: 'platform' }, tx);
    });
  }

  /**
   * Locks the organization for a platform administrator, who need not be a member. The organization may have been
   * deleted since the check of the guard.
   */
  private async beginByPlatform(tenant: Tenant, tx: Db): Promise<void> {
    if ((await this.organizations.lock(tenant, tx)).deletedAt !== null) throw new OrganizationNotFound();
  }

  private async removed(
    tenant: Tenant,
    actorUserId: UserId,
    id: string,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    const claim = await this.found(tenant, id, tx);
    await this.claims.remove(tenant, id, tx);
    await this.record(
      tenant,
      actorUserId,
      'removed',
      claim,
      { was_verified: claim.verifiedAt !== null, ...detail },
      tx,
    );
  }

  /**
   * Marks a domain as verified. Does nothing when it is already verified. @throws DomainOfAnother, by the unique index
   * of verified domains
   */
  private async verified(
    tenant: Tenant,
    actorUserId: UserId,
    id: string,
    by: 'dns' | 'platform',
    tx: Db,
  ): Promise<SsoDomainResponse> {
    const claim = await this.found(tenant, id, tx);
    if (claim.verifiedAt !== null) return ssoDomainResponse(claim);
    await this.claims.verify(tenant, id, by, tx);
    await this.record(tenant, actorUserId, 'verified', claim, { by }, tx);
    return ssoDomainResponse(await this.found(tenant, id, tx));
  }

  private async found(tenant: Tenant, id: string, db?: Db): Promise<SsoDomain> {
    const claim = await this.claims.find(tenant, id, db);
    if (claim === null) throw new DomainNotFound();
    return claim;
  }

  private record(
    { organizationId }: Tenant,
    actorUserId: UserId,
    act: 'added' | 'verified' | 'removed',
    { id, domain }: Pick<SsoDomain, 'id' | 'domain'>,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    return this.audit.record(
      {
        actorUserId,
        organizationId,
        action: `sso_domain.${act}`,
        targetType: 'sso_domain',
        targetId: id,
        detail: { domain, ...detail },
      },
      tx,
    );
  }
}

/** The errors for violated constraints. */
export const DOMAIN_CONSTRAINTS = {
  uq_sso_domains_organization_id_domain: DomainAlreadyAdded,
  uq_sso_domains_verified_domain: DomainOfAnother,
};
