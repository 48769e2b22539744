import { Injectable } from '@nestjs/common';
import { newOrganizationId, type OrganizationScope, type UserScope } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { UsersReader } from '../../identity/users/index.js';
import {
  type CreateOrganizationRequest,
  organizationResponse,
  type OrganizationResponse,
} from './organizations.dto.js';
import { OrganizationCreationService } from './organization-creation.service.js';
import { OrganizationPlanLimit } from './organizations.errors.js';
import { OrganizationsReader } from './organizations.reader.js';
import { OrganizationsRepository } from './organizations.repository.js';
import { highestPlan, PLAN_LIMITS } from './plans.js';

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly database: Database,
    private readonly organizations: OrganizationsReader,
    private readonly owned: OrganizationsRepository,
    private readonly users: UsersReader,
    private readonly creation: OrganizationCreationService,
    private readonly audit: AuditWriter,
  ) {}

  /**
   * Creates an organization that the caller owns. If the caller has paid for a plan in advance, their first
   * organization gets this plan. The caller's row is locked while their organizations are counted against the plan's
   * limit, so that parallel requests run one after another.
   */
  async create(scope: UserScope, request: CreateOrganizationRequest): Promise<OrganizationResponse> {
    const id = newOrganizationId();
    return this.database.transaction(async (tx) => {
      const owner = await this.users.lock(scope.userId, tx);
      const owned = await this.owned.plansOwnedBy(scope, tx);
      const plans = owned.length === 0 && owner.pendingPlan !== null ? [owner.pendingPlan] : owned;
      const limit = PLAN_LIMITS[highestPlan(plans)].organizations;
      if (limit !== null && owned.length >= limit) throw new OrganizationPlanLimit();
      const { name, slug } = request;
      await this.owned.insert({ id, name, slug, ownerId: scope.userId }, tx);
      await this.audit.record(
        {
          actorUserId: scope.userId,
          organizationId: id,
          action: 'organization.created',
          targetType: 'organization',
          targetId: id,
          detail: { name, slug },
        },
        tx,
      );
      await this.creation.run({ organizationId: id, owner }, tx);
      return organizationResponse(await this.organizations.get({ organizationId: id }, tx));
    });
  }

  async list(scope: UserScope): Promise<OrganizationResponse[]> {
    return (await this.owned.listOf(scope)).map(organizationResponse);
  }

  async get(scope: OrganizationScope): Promise<OrganizationResponse> {
    return organizationResponse(await this.organizations.get(scope));
  }
}
