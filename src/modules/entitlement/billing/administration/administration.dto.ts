import { EnumField, IntField, UuidField } from '../../../../platform/http/validation/index.js';
import { BILLING_STATES, type Plan, PLANS } from '../../../tenancy/organizations/index.js';

/** The statuses that platform administration may set. All others come from the provider. */
export const ADMINISTRATIVE_STATUSES = ['active', 'blocked', 'suspended'] as const;
export type AdministrativeStatus = (typeof ADMINISTRATIVE_STATUSES)[number];

export class AdministrationRequest {
  @EnumField(PLANS, { optional: true, nullable: true, description: 'Left out or null: stays' })
  plan?: Plan | null;

  @EnumField(ADMINISTRATIVE_STATUSES, {
    optional: true,
    nullable: true,
    description: 'Left out or null: stays. `blocked` and `suspended` hold until they are set to `active` here',
  })
  billing_status?: AdministrativeStatus | null;

  @IntField({
    min: 0,
    optional: true,
    nullable: true,
    description: 'Left out: stays. Null: the plan’s own limit holds again. 0: nothing may be ingested',
  })
  events_per_month_limit?: number | null;
}

export class AdministrationResponse {
  @UuidField({ description: 'The organization that was changed' })
  organization_id!: string;

  @EnumField(PLANS, { description: 'Which plan it is' })
  plan!: Plan;

  @EnumField(BILLING_STATES, { description: 'What it is now' })
  billing_status!: string;

  @IntField({ min: 0, nullable: true, description: 'Null: the plan’s own limit holds' })
  events_per_month_limit!: number | null;
}
