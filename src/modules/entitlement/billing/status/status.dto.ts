import {
  BooleanField,
  DateField,
  EnumField,
  IntField,
  TextField,
  UrlField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { BILLING_STATES, type Plan, PLANS } from '../../../tenancy/organizations/index.js';
import type { BlockReason } from '../../quotas/index.js';
import { RECOMMENDED_ACTIONS, type RecommendedAction } from './status-rules.js';

export class StatusQuery {
  @UuidField({
    optional: true,
    description: 'Required with an access token. An API key tells of its own organization, whatever is named here',
  })
  organization_id?: string;
}

const BLOCK_REASONS = ['billing_inactive', 'limit_exceeded', 'request_limit_exceeded', 'blocked'] as const;

export class StatusResponse {
  @UuidField({ description: 'The organization that is billed' })
  organization_id!: string;

  @EnumField(PLANS, { description: 'Which plan it is' })
  plan!: Plan;

  @EnumField(BILLING_STATES, { description: 'What the provider or platform administration has made it' })
  billing_status!: string;

  @TextField({ description: 'The current UTC month', example: '2026-11' })
  month!: string;

  @DateField({ description: 'First day of the current UTC month' })
  from_day!: string;

  @DateField({ description: 'First day of the following month' })
  to_day!: string;

  @DateField({ description: 'When the count begins anew: `to_day`' })
  reset_day!: string;

  @IntField({ min: 0, description: 'Events of all projects of the organization in this month' })
  events_used!: number;

  @IntField({ min: 0, nullable: true, description: 'The organization’s own limit, else the plan’s; null: unlimited' })
  events_limit!: number | null;

  @IntField({ min: 0, nullable: true, description: 'Null: unlimited' })
  events_remaining!: number | null;

  @BooleanField({ description: '80 % of a limit are used, and not all of it' })
  is_near_limit!: boolean;

  @UrlField({ description: 'Where to send somebody who is to upgrade' })
  upgrade_url!: string;

  @BooleanField({ description: 'Whether ingesting one event would be refused now' })
  is_blocked!: boolean;

  @EnumField(BLOCK_REASONS, { nullable: true, description: 'Why; as `X-Service-Block-Reason` of the refusal' })
  block_reason!: BlockReason | null;

  @EnumField(RECOMMENDED_ACTIONS, { description: 'What lifts the block' })
  recommended_action!: RecommendedAction;
}
