import { NewerAlertEventIsUnresolved } from './modules/alerting/alerts/index.js';
import { ChannelHasEvidence, DuplicateProtectedHeader } from './modules/delivery/deliveries/index.js';
import { SecretInUse, SecretNameInUse } from './modules/entitlement/secrets/index.js';
import { SlugInUse } from './modules/tenancy/organizations/index.js';
import { DOMAIN_CONSTRAINTS } from './modules/tenancy/sso/index.js';
import { SavedViewNameInUse } from './modules/tenancy/projects/index.js';
import { ObjectExists } from './modules/entitlement/storage/index.js';
import { NotAProjectMember } from './modules/access/index.js';
import { NotAuthenticated } from './platform/http/domain-error.js';
import type { ConstraintErrors } from './platform/http/error.filter.js';

/** The error for each violated constraint. Any other constraint is a fault of the service (500). */
export const CONSTRAINT_ERROR_TABLE: ConstraintErrors = {
  uq_organizations_slug: SlugInUse,
  uq_projects_organization_id_slug: SlugInUse,
  uq_saved_views_project_id_name: SavedViewNameInUse,
  fk_users_selected_project_id: NotAProjectMember,
  uq_project_secrets_project_id_name: SecretNameInUse,
  fk_protected_header_secrets_secret_id: SecretInUse,
  uq_delivery_protected_headers_channel_id_name_key: DuplicateProtectedHeader,
  fk_delivery_attempts_channel_id: ChannelHasEvidence,
  uq_stored_objects_project_id_key: ObjectExists,
  // Only reopening violates this constraint: a new occurrence is added to the unresolved alert event.
  uq_alert_events_unresolved: NewerAlertEventIsUnresolved,
  ...DOMAIN_CONSTRAINTS,
  // The caller's account was deleted while the request ran.
  fk_organizations_owner_id: NotAuthenticated,
  fk_projects_owner_id: NotAuthenticated,
};
