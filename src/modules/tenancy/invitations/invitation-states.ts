/** Roles that an invitation may offer. */
export const INVITATION_ROLES = ['operator', 'viewer'] as const;
export type InvitationRole = (typeof INVITATION_ROLES)[number];

export const INVITATION_STATUSES = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

export const DELIVERY_STATUSES = ['sent', 'failed', 'not_configured'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Days until an invitation expires, counted from its latest e-mail. */
export const LIFE_DAYS = 7;
/**
 * Maximum number of invitations that an organization may create in 24 hours. A further invitation is refused with 429.
 */
export const MOST_A_DAY = 100;
/** Minimum seconds between two e-mails of one invitation. An earlier resend is refused with 429. */
export const RESEND_PAUSE_SECONDS = 60;
