/**
 * Every type of security event, with the subject of the mail to the account's owner. Null means that the event is only
 * recorded, because it is routine or the owner gets another mail about it.
 */
export const SECURITY_EVENT_MAILS = {
  account_registered: null,
  registration_repeated: null,
  email_verified: null,
  signed_in: null,
  signed_in_new_device: 'New sign-in to your account',
  sign_in_failed: null,
  sign_in_locked: 'Too many failed sign-in attempts',
  signed_out: null,
  session_revoked: null,
  other_sessions_revoked: null,
  refresh_token_shared: 'A session of your account was refreshed from two places',
  refresh_token_reused: 'A session of your account was ended',
  password_changed: 'Your password was changed',
  password_reset_requested: null,
  password_reset: 'Your password was reset',
  email_change_requested: null,
  email_changed: 'The e-mail address of your account was changed',
  profile_updated: null,
  totp_setup_started: null,
  totp_enabled: 'An authenticator app was added to your account',
  totp_disabled: 'The authenticator app was removed from your account',
  recovery_codes_regenerated: 'The recovery codes of your account were replaced',
  recovery_code_used: 'A recovery code of your account was used',
  passkey_added: 'A passkey was added to your account',
  passkey_renamed: null,
  passkey_removed: 'A passkey was removed from your account',
  passkey_counter_regressed: 'A passkey of your account looked copied',
  second_factor_failed: null,
  second_factor_locked: 'Too many failed attempts at your second factor',
  device_trusted: 'A device is now trusted with your account',
  trusted_device_revoked: null,
  step_up_passed: null,
  second_factors_reset: 'The second factors of your account were removed',
  account_disabled: 'Your account was disabled',
  account_enabled: 'Your account can sign in again',
  oauth_linked: 'A sign-in provider was linked to your account',
  sso_refused: null,
  sso_signed_out: null,
  account_provisioned: 'An account was created for you',
  account_deprovisioned: 'Your access to an organization has ended',
} as const satisfies Record<string, string | null>;

/** The types of events that record actions of operators of the service, and not of the account's owner. */
export const ACTS_OF_OPERATORS: readonly string[] = ['second_factors_reset', 'account_disabled', 'account_enabled'];

/** The types of events that record actions of a company's identity provider. */
export const ACTS_OF_PROVIDERS: readonly string[] = ['account_provisioned', 'account_deprovisioned'];

export type SecurityEventType = keyof typeof SECURITY_EVENT_MAILS;
export const SECURITY_EVENT_TYPES = Object.keys(SECURITY_EVENT_MAILS) as SecurityEventType[];
