import { Injectable } from '@nestjs/common';
import type { OrganizationScope, ProjectScope } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';
import { AuditEvent } from './audit-event.entity.js';

export interface AuditPage {
  readonly items: AuditEvent[];
  readonly total: number;
}

/** Reads audit events. */
@Injectable()
export class AuditReader {
  constructor(private readonly database: Database) {}

  /** Returns one page of a project's audit events, newest first, and the total number of them. */
  async ofProject(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<AuditPage> {
    const [items, total] = await this.database.repository(AuditEvent).findAndCount({
      where: { projectId },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
      skip: offset,
    });
    return { items, total };
  }

  /** Returns the newest `limit` audit events of an organization for one target type, newest first. */
  ofOrganization(
    { organizationId }: Pick<OrganizationScope, 'organizationId'>,
    { targetType, limit }: { readonly targetType: string; readonly limit: number },
  ): Promise<AuditEvent[]> {
    return this.database.repository(AuditEvent).find({
      where: { organizationId, targetType },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
    });
  }
}
