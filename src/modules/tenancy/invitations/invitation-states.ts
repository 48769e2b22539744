/** Roles an invitation may offer (SERVICE 2.6). */
export const INVITATION_ROLES = ['operator', 'viewer'] as const;
export type InvitationRole = (typeof INVITATION_ROLES)[number];

export const INVITATION_STATUSES = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

export const DELIVERY_STATUSES = ['sent', 'failed', 'not_configured'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** DECISIONS 3. */
export const LIFE_DAYS = 7;
export const MOST_A_DAY = 100;
export const RESEND_PAUSE_SECONDS = 60;
