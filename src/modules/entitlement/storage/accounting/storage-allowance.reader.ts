import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, type PlanStorageLimits } from '../../../../config/index.js';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { Plan } from '../../../tenancy/organizations/index.js';
import { type BlockReason, PASSING_STATUSES, reasonOfStatus } from '../../quotas/index.js';

/** The billing statuses in which usage beyond the quotas is billed. */
export const PAYING: readonly string[] = ['active', 'trialing', 'past_due'];

/** The storage and bandwidth that an organization may use under its plan. */
export interface StorageAllowance {
  readonly plan: Plan;
  readonly limits: PlanStorageLimits;
  /** Whether both quotas may be exceeded, and the excess is billed. */
  readonly isMetered: boolean;
  readonly billingStatus: string;
  /** Why nothing may be stored; null when storing is allowed. */
  readonly block: BlockReason | null;
}

@Injectable()
export class StorageAllowanceReader {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async of({ organizationId }: Pick<ProjectScope, 'organizationId'>, db?: Db): Promise<StorageAllowance> {
    const [row] = await this.database.rows<{ plan: Plan; billing_status: string; subscription: string | null }>(
      `SELECT plan, billing_status, payment_subscription_status AS subscription FROM organizations WHERE id = $1`,
      [organizationId],
      db,
    );
    if (row === undefined) throw new Error('an organization with a scope has a row');
    const { limits, meteredBillingEnabled } = this.config.storage;
    return {
      plan: row.plan,
      limits: limits[row.plan],
      isMetered: meteredBillingEnabled && row.subscription !== null && PAYING.includes(row.subscription),
      billingStatus: row.billing_status,
      block: PASSING_STATUSES.includes(row.billing_status) ? null : reasonOfStatus(row.billing_status),
    };
  }
}
