import type { Severity } from '../detectors/assessment.js';

export const HEALTH_STATES = ['learning', 'healthy', 'degraded', 'critical'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

const WEIGHTS: Readonly<Record<Severity, number>> = { critical: 40, warning: 15, info: 3 };
const ACKNOWLEDGED = 0.5;

/**
 * Returns the health of a project from 0 to 100: 100 less 40 for each critical, 15 for each warning and 3 for each info
 * finding that is unresolved. An acknowledged finding counts half.
 */
export function healthScore(findings: readonly { readonly severity: Severity; readonly status: string }[]): number {
  const lost = findings.reduce(
    (sum, { severity, status }) => sum + WEIGHTS[severity] * (status === 'acknowledged' ? ACKNOWLEDGED : 1),
    0,
  );
  return Math.max(0, Math.round(100 - lost));
}

export function healthState(score: number): HealthState {
  if (score >= 80) return 'healthy';
  return score >= 50 ? 'degraded' : 'critical';
}
