import {
  type AnomalyCondition,
  compileFilter,
  filterOf,
  FINDING_SEVERITIES,
  type FindingSeverity,
} from '../../../events/conditions/index.js';
import type { Finding } from '../../sentinel/index.js';
import { findingSeries, type Series } from '../machine/series.js';

const LEAST_SEVERITY: FindingSeverity = 'warning';
type FindingFacts = Pick<
  Finding,
  'kind' | 'severity' | 'seriesType' | 'seriesValue' | 'metric' | 'score' | 'actual' | 'expected'
>;

/** Returns whether a finding matches a rule of kind `anomaly`. @param projectId the project of the rule */
export function fitsFinding(condition: AnomalyCondition, finding: FindingFacts, projectId: string): boolean {
  const { finding_kinds: kinds, min_severity: least = LEAST_SEVERITY } = condition;
  if (kinds !== undefined && !kinds.includes(finding.kind)) return false;
  if (FINDING_SEVERITIES.indexOf(finding.severity) < FINDING_SEVERITIES.indexOf(least)) return false;
  const { kind, severity, seriesType, seriesValue, metric, score, actual, expected } = finding;
  const fields = {
    kind,
    severity,
    series_type: seriesType,
    series_value: seriesType === 'project' ? null : seriesValue,
    metric,
    score,
    actual,
    expected,
  };
  return compileFilter(filterOf(condition), projectId)({ fields, properties: {} });
}

/** Returns the series of a rule for findings of the same kind, series and metric. */
export function seriesOfFinding(ruleId: string, { kind, seriesType, seriesValue, metric }: FindingFacts): Series {
  return findingSeries(ruleId, {
    kind,
    series_type: seriesType,
    series_value: seriesType === 'project' ? null : seriesValue,
    metric,
  });
}
