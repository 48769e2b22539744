import {
  BooleanField,
  DateField,
  EnumField,
  IntField,
  NestedField,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { type Plan, PLANS } from '../../../tenancy/organizations/index.js';

const NEAR = { description: 'At least 80 % of the limit are used, and not all of it' };
const LIMIT = { min: 0, nullable: true, description: 'Null: none' };

export class StoredUsageResponse {
  @IntField({ min: 0, description: 'Contents of objects' })
  bytes_used!: number;

  @IntField({ min: 0, description: 'Set aside for contents on their way; counts against the limit' })
  bytes_reserved!: number;

  @IntField(LIMIT)
  bytes_limit!: number | null;

  @IntField(LIMIT)
  bytes_remaining!: number | null;

  @IntField({ min: 0, description: 'How many are stored' })
  objects!: number;

  @BooleanField(NEAR)
  is_near_limit!: boolean;
}

export class BandwidthUsageResponse {
  @IntField({ min: 0, description: 'Content sent this UTC month' })
  bytes_used!: number;

  @IntField(LIMIT)
  bytes_limit!: number | null;

  @IntField(LIMIT)
  bytes_remaining!: number | null;

  @BooleanField(NEAR)
  is_near_limit!: boolean;
}

export class ProjectStorageUsageResponse {
  @IntField({ min: 0, description: 'By all objects of the project' })
  bytes_used!: number;

  @IntField({ min: 0, description: 'How many are stored' })
  objects!: number;

  @IntField({ min: 0, description: 'This UTC month' })
  bandwidth_bytes_used!: number;
}

export class StorageUsageResponse {
  @UuidField({ description: 'The organization whose quota it is' })
  organization_id!: string;

  @UuidField({})
  project_id!: string;

  @EnumField(PLANS, { description: 'Which plan it is' })
  plan!: Plan;

  @TextField({ example: '2026-11', description: 'The current UTC month' })
  month!: string;

  @DateField({ description: 'First day of the current UTC month' })
  from_day!: string;

  @DateField({ description: 'Exclusive' })
  to_day!: string;

  @DateField({ description: 'When the count begins anew: `to_day`' })
  reset_day!: string;

  @IntField({ ...LIMIT, description: 'Of one object; null: no limit' })
  max_file_bytes!: number | null;

  @BooleanField({ description: 'Both quotas may be passed, and what lies beyond is billed' })
  is_metered!: boolean;

  @NestedField(() => StoredUsageResponse, { description: 'Of the organization, over all its projects' })
  storage!: StoredUsageResponse;

  @NestedField(() => BandwidthUsageResponse, { description: 'Of the organization, over all its projects' })
  bandwidth!: BandwidthUsageResponse;

  @NestedField(() => ProjectStorageUsageResponse, { description: 'What this project alone takes' })
  project!: ProjectStorageUsageResponse;
}
