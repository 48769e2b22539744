import type { Schemas } from '@operational-events/client';
import { createRoute } from '@tanstack/react-router';
import { project } from './around.js';
import { lazyRouteComponent } from './lazy-page.js';
import { oneOf, textOf } from './search-members.js';

export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies Schemas['Severity'][];
type Severity = Schemas['Severity'];

/** Without a status, the list shows open alerts. */
const ALERT_STATUSES = ['acknowledged', 'snoozed', 'resolved', 'all'] as const;

export interface AlertFilters {
  readonly status?: (typeof ALERT_STATUSES)[number] | undefined;
  readonly severity?: Severity | undefined;
  readonly rule?: string | undefined;
  readonly assignee?: string | undefined;
  readonly q?: string | undefined;
  /** The id of the alert event that is shown. */
  readonly alert?: string | undefined;
}
const alerts = createRoute({
  getParentRoute: () => project,
  path: '/alerts',
  validateSearch: ({ status, severity, rule, assignee, q, alert }: Record<string, unknown>): AlertFilters => ({
    status: oneOf(ALERT_STATUSES, status),
    severity: oneOf(SEVERITIES, severity),
    rule: textOf(rule),
    assignee: textOf(assignee),
    q: textOf(q),
    alert: textOf(alert),
  }),
  component: lazyRouteComponent(() => import('../pages/alerting/inbox/inbox.js'), 'AlertsPage'),
});

const rules = createRoute({
  getParentRoute: () => project,
  path: '/alert-rules',
  component: lazyRouteComponent(() => import('../pages/alerting/rules/rules.js'), 'RulesPage'),
});

export const PREVIEW_RANGES = ['2h', '24h', '7d'] as const;
export interface RuleSearch {
  /** How far back the preview reads; a day by default. */
  readonly past?: (typeof PREVIEW_RANGES)[number] | undefined;
  /** The question that a new rule begins with, as JSON. */
  readonly question?: string | undefined;
}
const rule = createRoute({
  getParentRoute: () => project,
  path: '/alert-rules/$rule',
  validateSearch: ({ past, question }: Record<string, unknown>): RuleSearch => ({
    past: oneOf(PREVIEW_RANGES, past),
    question: textOf(question),
  }),
  component: lazyRouteComponent(() => import('../pages/alerting/rules/rule.js'), 'RulePage'),
});

const SILENCE_STATES = ['active', 'pending', 'expired'] as const satisfies Schemas['AlertSilenceState'][];
export interface SilenceSearch {
  readonly state?: Schemas['AlertSilenceState'] | undefined;
  /** Opens the form of a new silence for alerts with this fingerprint. */
  readonly fingerprint?: string | undefined;
}
const silences = createRoute({
  getParentRoute: () => project,
  path: '/silences',
  validateSearch: ({ state, fingerprint }: Record<string, unknown>): SilenceSearch => ({
    state: oneOf(SILENCE_STATES, state),
    fingerprint: textOf(fingerprint),
  }),
  component: lazyRouteComponent(() => import('../pages/alerting/silences.js'), 'SilencesPage'),
});

export const FINDING_KINDS = [
  'rate_spike',
  'rate_drop',
  'silence',
  'error_burst',
  'latency_shift',
  'new_event_type',
  'cardinality_explosion',
] as const satisfies Schemas['FindingKind'][];
export const FINDING_STATUSES = [
  'open',
  'acknowledged',
  'resolved',
  'dismissed',
] as const satisfies Schemas['FindingStatus'][];
export interface FindingSearch {
  readonly status?: Schemas['FindingStatus'] | undefined;
  readonly kind?: Schemas['FindingKind'] | undefined;
  readonly severity?: Severity | undefined;
  /** The id of the finding that is shown. */
  readonly finding?: string | undefined;
}
const sentinel = createRoute({
  getParentRoute: () => project,
  path: '/sentinel',
  validateSearch: ({ status, kind, severity, finding }: Record<string, unknown>): FindingSearch => ({
    status: oneOf(FINDING_STATUSES, status),
    kind: oneOf(FINDING_KINDS, kind),
    severity: oneOf(SEVERITIES, severity),
    finding: textOf(finding),
  }),
  component: lazyRouteComponent(() => import('../pages/sentinel/sentinel.js'), 'SentinelPage'),
});

/** Pages for alerts, rules, silences and findings. */
export const alertingRoutes = [alerts, rules, rule, silences, sentinel];
