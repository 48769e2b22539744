import type { ApiKeyRecord } from './api-key.entity.js';

export const KEY_STATUSES = ['active', 'rotating', 'revoked', 'expired'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

export type KeyLife = Pick<ApiKeyRecord, 'revokedAt' | 'expiresAt' | 'rotatedTo'>;

/**
 * Returns the first status that holds, in the order `revoked`, `expired`, `rotating`, `active`. Keys that are `active`
 * or `rotating` work.
 */
export function keyStatus({ revokedAt, expiresAt, rotatedTo }: KeyLife, now: Date): KeyStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return rotatedTo !== null ? 'rotating' : 'active';
}
