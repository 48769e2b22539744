import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import type { OrganizationScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { blockReason, isNearLimit, monthOf, OrganizationAllowancesReader, remainingOf } from '../../quotas/index.js';
import { recommendedAction } from './status-rules.js';
import type { StatusResponse } from './status.dto.js';

@Injectable()
export class StatusService {
  constructor(
    private readonly allowances: OrganizationAllowancesReader,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Returns what the organization has used in this UTC month, and whether one more event would be refused now. */
  async get(scope: Pick<OrganizationScope, 'organizationId'>): Promise<StatusResponse> {
    const { month, fromDay, toDay } = monthOf(this.clock.now());
    const allowances = await this.allowances.of(scope);
    const { plan, billingStatus, events } = allowances;
    const reason = blockReason(allowances);
    return {
      organization_id: scope.organizationId,
      plan,
      billing_status: billingStatus,
      month,
      from_day: fromDay,
      to_day: toDay,
      reset_day: toDay,
      events_used: events.used,
      events_limit: events.limit,
      events_remaining: remainingOf(events),
      is_near_limit: isNearLimit(events),
      upgrade_url: this.config.quotas.upgradeUrl,
      is_blocked: reason !== null,
      block_reason: reason,
      recommended_action: recommendedAction(reason),
    };
  }
}
