import type { Role } from './roles.js';

export const CAPABILITIES = [
  'delivery:read',
  'delivery:replay',
  'delivery:retry_now',
  'delivery:dlq_drain',
  'delivery:manage_channels',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/**
 * The delivery capabilities of each role. They do not follow the order of the roles: a member manages channels and an
 * operator does not.
 */
export const CAPABILITIES_OF_ROLE: Readonly<Record<Role, readonly Capability[]>> = {
  viewer: ['delivery:read'],
  member: ['delivery:read', 'delivery:manage_channels'],
  operator: ['delivery:read', 'delivery:replay', 'delivery:retry_now'],
  admin: CAPABILITIES,
  owner: CAPABILITIES,
};

export function hasCapability(role: Role, capability: Capability): boolean {
  return CAPABILITIES_OF_ROLE[role].includes(capability);
}
