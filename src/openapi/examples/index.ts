import { EXAMPLES as account } from './account.js';
import { EXAMPLES as alertDestinations } from './alert-destinations.js';
import { EXAMPLES as alertRules } from './alert-rules.js';
import { EXAMPLES as alerts } from './alerts.js';
import { EXAMPLES as analytics } from './analytics.js';
import { EXAMPLES as apiKeys } from './api-keys.js';
import { EXAMPLES as auth } from './auth.js';
import { EXAMPLES as billing } from './billing.js';
import { EXAMPLES as core } from './core.js';
import { EXAMPLES as delivery } from './delivery.js';
import { EXAMPLES as eql } from './eql.js';
import { EXAMPLES as events } from './events.js';
import type { Examples } from './example.js';
import { EXAMPLES as health } from './health.js';
import { EXAMPLES as ingestSources } from './ingest-sources.js';
import { EXAMPLES as intake } from './intake.js';
import { EXAMPLES as invitations } from './invitations.js';
import { EXAMPLES as internal } from './internal.js';
import { EXAMPLES as logs } from './logs.js';
import { EXAMPLES as organizations } from './organizations.js';
import { EXAMPLES as performance } from './performance.js';
import { EXAMPLES as projects } from './projects.js';
import { EXAMPLES as scim } from './scim.js';
import { EXAMPLES as search } from './search.js';
import { EXAMPLES as secrets } from './secrets.js';
import { EXAMPLES as sentinel } from './sentinel.js';
import { EXAMPLES as sso } from './sso.js';
import { EXAMPLES as usage } from './usage.js';

/** One example of each operation, by its name. The examples are recorded by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  ...auth,
  ...account,
  ...organizations,
  ...projects,
  ...ingestSources,
  ...apiKeys,
  ...events,
  ...logs,
  ...search,
  ...eql,
  ...analytics,
  ...performance,
  ...alertRules,
  ...alerts,
  ...alertDestinations,
  ...sentinel,
  ...delivery,
  ...secrets,
  ...core,
  ...usage,
  ...billing,
  ...health,
  ...internal,
  ...intake,
  ...invitations,
  ...sso,
  ...scim,
};
