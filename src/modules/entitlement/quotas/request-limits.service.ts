import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import type { Plan } from '../../tenancy/organizations/index.js';

const DEFAULTS: Readonly<Record<Plan, number | null>> = {
  free: 100_000,
  pro: 1_000_000,
  scale: 10_000_000,
  enterprise: null,
};

/**
 * The maximum number of API-key requests a month by plan. `MONTHLY_REQUEST_LIMITS` overrides the defaults. Null means
 * unlimited.
 */
@Injectable()
export class RequestLimitsService {
  readonly byPlan: Readonly<Record<Plan, number | null>>;

  constructor(@Inject(CONFIG) { quotas }: Config) {
    this.byPlan = { ...DEFAULTS, ...quotas.monthlyRequests };
  }
}
