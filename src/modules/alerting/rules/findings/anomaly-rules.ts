import { Injectable, Logger } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import type { AnomalyCondition } from '../../../events/conditions/index.js';
import { AlertRaiser, type AnyFiring } from '../../alerts/index.js';
import { type Finding, findingPayload, FindingWatcher } from '../../sentinel/index.js';
import { cut, ruleOf } from '../firing-rule.js';
import { type LiveRule, LiveRulesRepository } from '../live-rules.repository.js';
import { INACTIVE, type SeriesState, step } from '../machine/rule-machine.js';
import { restingSeries, SeriesRepository } from '../machine/series.repository.js';
import { RuleMetrics } from '../outcomes/rule-metrics.js';
import { fitsFinding, seriesOfFinding } from './finding-match.js';

/** A finding holds until the end of its last bucket. */
const BUCKET_MS = 300_000;

type AnomalyRule = LiveRule & { readonly condition: AnomalyCondition };

/** Fires rules of kind `anomaly`, and has them recover, in the transaction that changes the finding. */
@Injectable()
export class AnomalyRules extends FindingWatcher {
  private readonly logger = new Logger('alert-rules');

  constructor(
    private readonly rules: LiveRulesRepository,
    private readonly series: SeriesRepository,
    private readonly alerts: AlertRaiser,
    private readonly metrics: RuleMetrics,
  ) {
    super();
  }

  /** Opened again it is another occurrence. */
  opened(finding: Finding, tx: Db): Promise<void> {
    return this.seen(finding, new Date(finding.lastSeenAt.getTime() + BUCKET_MS), true, tx);
  }

  extended(finding: Finding, until: Date, tx: Db): Promise<void> {
    return this.seen(finding, until, false, tx);
  }

  async ended(finding: Finding, tx: Db): Promise<void> {
    const { projectId } = finding;
    for (const rule of await this.anomalyRules(finding, tx)) {
      const series = seriesOfFinding(rule.id, finding);
      await this.series.save(projectId, [restingSeries(rule.id, series)], tx);
      await this.alerts.recover({ projectId, ruleId: rule.id, fingerprint: series.fingerprint }, tx);
    }
  }

  /** The condition of a rule has held since the finding began; what has fired fires again only where it opens again. */
  private async seen(finding: Finding, until: Date, isNew: boolean, tx: Db): Promise<void> {
    const { projectId } = finding;
    for (const rule of await this.anomalyRules(finding, tx)) {
      if (!fitsFinding(rule.condition, finding, projectId)) continue;
      const series = seriesOfFinding(rule.id, finding);
      const [known] = await this.series.find(projectId, [{ ruleId: rule.id, fingerprint: series.fingerprint }], tx);
      const stored = known ?? restingSeries(rule.id, series);
      const before = stored.state.state === 'inactive' ? begunWith(finding, rule) : stored.state;
      const { after, effect } = step(before, 'breach', until.getTime(), rule.holds);
      await this.series.save(projectId, [{ ...stored, state: after }], tx);
      if (effect !== 'fire' && !(effect === 'repeat' && isNew)) continue;
      await this.alerts.fire(
        {
          projectId,
          rule: ruleOf(rule),
          fingerprint: series.fingerprint,
          groupValues: series.groupValues,
          event: eventOf(finding),
          message: cut(finding.summary),
          payload: findingPayload(finding),
        },
        tx,
      );
      this.metrics.occurred(1);
    }
  }

  private async anomalyRules({ projectId }: Finding, tx: Db): Promise<AnomalyRule[]> {
    const { rules, unreadable } = await this.rules.ofFindings(projectId, tx);
    for (const { id, error } of unreadable) this.logger.warn(`rule ${id} cannot be read: ${String(error)}`);
    return rules.filter((rule): rule is AnomalyRule => rule.condition.kind === 'anomaly');
  }
}

/** `for_seconds` counts from the beginning of the finding. */
function begunWith({ startedAt }: Finding, { holds }: LiveRule): SeriesState {
  const since = startedAt.getTime();
  return holds.forSeconds === 0 ? INACTIVE : { state: 'pending', since, breachedAt: since };
}

/** No single event did it, but a type or a source may have. */
function eventOf({ seriesType, seriesValue }: Finding): AnyFiring['event'] {
  if (seriesType === 'project') return null;
  const [type, sourceId] = seriesType === 'event' ? [seriesValue, null] : [null, seriesValue];
  return { id: null, type, source: null, sourceId, timestamp: null };
}
