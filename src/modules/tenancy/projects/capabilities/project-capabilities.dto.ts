import { type Capability, hasCapability, type ProjectMemberScope } from '../../../access/index.js';
import { BooleanField, UuidField } from '../../../../platform/http/validation/index.js';

export class CapabilitiesResponse {
  @UuidField({})
  project_id!: string;

  @BooleanField({ description: 'May see channels and attempts' })
  can_read_delivery!: boolean;

  @BooleanField({ description: 'May have attempts sent again' })
  can_replay_delivery!: boolean;

  @BooleanField({ description: 'May have a scheduled retry run at once' })
  can_retry_now_delivery!: boolean;

  @BooleanField({ description: 'May have dead letters sent again' })
  can_drain_delivery_dlq!: boolean;

  @BooleanField({ description: 'May make and change channels' })
  can_manage_delivery_channels!: boolean;
}

export function capabilitiesResponse({ projectId, role }: ProjectMemberScope): CapabilitiesResponse {
  const can = (capability: Capability): boolean => hasCapability(role, capability);
  return {
    project_id: projectId,
    can_read_delivery: can('delivery:read'),
    can_replay_delivery: can('delivery:replay'),
    can_retry_now_delivery: can('delivery:retry_now'),
    can_drain_delivery_dlq: can('delivery:dlq_drain'),
    can_manage_delivery_channels: can('delivery:manage_channels'),
  };
}
