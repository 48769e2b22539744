import { Injectable, Logger } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { AnomalyCondition } from '../../../events/conditions/index.js';
import { AlertRaiser, type AnyFiring } from '../../alerts/index.js';
import { type FindingChange, findingPayload, FindingWatcher, type ListedFinding } from '../../sentinel/index.js';
import { cut, ruleOf } from '../firing-rule.js';
import { type LiveRule, LiveRulesRepository } from '../live-rules.repository.js';
import { INACTIVE, type SeriesState, step } from '../machine/rule-machine.js';
import type { Series } from '../machine/series.js';
import { restingSeries, SeriesRepository, type StoredSeries } from '../machine/series.repository.js';
import { RuleMetrics } from '../outcomes/rule-metrics.js';
import { fitsFinding, seriesOfFinding } from './finding-match.js';

/** The length of a bucket. A finding lasts until the end of its last bucket. */
const BUCKET_MS = 300_000;

type AnomalyRule = LiveRule & { readonly condition: AnomalyCondition };

/** Fires rules of kind `anomaly`, and lets them recover, in the transaction that changes the finding. */
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

  async changed(projectId: ProjectId, changes: readonly FindingChange[], tx: Db): Promise<void> {
    const rules = await this.anomalyRules(projectId, tx);
    const found = rules.flatMap((rule) =>
      changes
        // A finding that ends may have fired earlier even if it no longer matches.
        .filter(({ move, finding }) => move === 'ended' || fitsFinding(rule.condition, finding, projectId))
        .map((change) => ({ rule, change, series: { ruleId: rule.id, ...seriesOfFinding(rule.id, change.finding) } })),
    );
    if (found.length === 0) return;
    const known = new Map(
      (
        await this.series.find(
          projectId,
          found.map(({ series }) => series),
          tx,
        )
      ).map((one) => [keyOf(one), one]),
    );
    const steps = found.map(({ rule, change, series }) =>
      stepOf(rule, change, known.get(keyOf(series)) ?? null, series),
    );
    await this.series.save(
      projectId,
      steps.map(({ after }) => after),
      tx,
    );
    const ended = steps.filter(({ change }) => change.move === 'ended').map(({ rule }) => rule.id);
    const unresolved = ended.length === 0 ? new Set() : await this.alerts.unresolved({ projectId }, ended, tx);
    for (const { rule, change, after, fires } of steps) {
      if (fires) await this.fire(rule, change.finding, after, tx);
      else if (change.move === 'ended' && unresolved.has(rule.id)) {
        await this.alerts.recover({ projectId, ruleId: rule.id, fingerprint: after.fingerprint }, tx);
      }
    }
  }

  private async fire(
    rule: AnomalyRule,
    finding: ListedFinding,
    { fingerprint, groupValues }: Series,
    tx: Db,
  ): Promise<void> {
    await this.alerts.fire(
      {
        projectId: finding.projectId,
        rule: ruleOf(rule),
        fingerprint,
        groupValues,
        event: eventOf(finding),
        message: cut(finding.summary),
        payload: findingPayload(finding),
      },
      tx,
    );
    this.metrics.occurred(1);
  }

  private async anomalyRules(projectId: ProjectId, tx: Db): Promise<AnomalyRule[]> {
    const { rules, unreadable } = await this.rules.ofFindings(projectId, tx);
    for (const { id, error } of unreadable) this.logger.warn(`rule ${id} cannot be read: ${String(error)}`);
    return rules.filter((rule): rule is AnomalyRule => rule.condition.kind === 'anomaly');
  }
}

/**
 * Applies a change of a finding to a series of a rule. The condition has held since the finding began. After a series
 * has fired, it fires again only when the finding reopens, which is another occurrence.
 */
function stepOf(
  rule: AnomalyRule,
  change: FindingChange,
  known: StoredSeries | null,
  series: Series & { readonly ruleId: string },
): { rule: AnomalyRule; change: FindingChange; after: StoredSeries; fires: boolean } {
  const resting = restingSeries(rule.id, series);
  if (change.move === 'ended') return { rule, change, after: resting, fires: false };
  const { finding, move } = change;
  const stored = known ?? resting;
  const before = stored.state.state === 'inactive' ? begunWith(finding, rule) : stored.state;
  const until = move === 'extended' ? change.until.getTime() : finding.lastSeenAt.getTime() + BUCKET_MS;
  const { after, effect } = step(before, 'breach', until, rule.holds);
  const fires = effect === 'fire' || (effect === 'repeat' && move === 'opened');
  return { rule, change, after: { ...stored, state: after }, fires };
}

/** Returns the key of a rule's series in maps. */
function keyOf({ ruleId, fingerprint }: Pick<StoredSeries, 'ruleId' | 'fingerprint'>): string {
  return `${ruleId} ${fingerprint}`;
}

/** `for_seconds` counts from the beginning of the finding. */
function begunWith({ startedAt }: ListedFinding, { holds }: LiveRule): SeriesState {
  const since = startedAt.getTime();
  return holds.forSeconds === 0 ? INACTIVE : { state: 'pending', since, breachedAt: since };
}

/** No single event causes a finding, but the finding may concern an event type or a source. */
function eventOf({ seriesType, seriesValue }: ListedFinding): AnyFiring['event'] {
  if (seriesType === 'project') return null;
  const [type, sourceId] = seriesType === 'event' ? [seriesValue, null] : [null, seriesValue];
  return { id: null, type, source: null, sourceId, timestamp: null };
}
