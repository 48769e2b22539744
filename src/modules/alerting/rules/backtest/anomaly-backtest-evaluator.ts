import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import type { AnomalyCondition } from '../../../events/conditions/index.js';
import type { TimeWindow } from '../../../events/event-store/index.js';
import { FindingsReader } from '../../sentinel/index.js';
import { fitsFinding, seriesOfFinding } from '../findings/finding-match.js';
import type { LiveRule } from '../live-rules.repository.js';
import type { BacktestResult } from './backtest.dto.js';
import { BacktestFirings } from './backtest-firings.js';
import { BacktestLimits } from './backtest-limits.js';

/** The length of a bucket. A finding lasts until the end of its last bucket. */
const BUCKET_MS = 300_000;

/** Runs a rule over past findings: those that began in the window. */
@Injectable()
export class AnomalyBacktestEvaluator {
  constructor(
    private readonly findings: FindingsReader,
    private readonly limits: BacktestLimits,
  ) {}

  async run(
    rule: LiveRule & { readonly condition: AnomalyCondition },
    window: TimeWindow,
    tx: Db,
  ): Promise<Pick<BacktestResult, 'evaluations' | 'truncated'> & { readonly firings: BacktestFirings }> {
    const { pageEvents } = this.limits;
    const found = await this.findings.begunIn(rule, window, pageEvents + 1, tx);
    const firings = new BacktestFirings(this.limits);
    for (const finding of found.slice(0, pageEvents)) {
      const at = finding.startedAt.getTime() + rule.holds.forSeconds * 1_000;
      const holds = finding.lastSeenAt.getTime() + BUCKET_MS >= at;
      if (!holds || !fitsFinding(rule.condition, finding, rule.projectId)) continue;
      const series = seriesOfFinding(rule.id, finding);
      const firing = firings.begin(at, series, null);
      if (firing === null) break;
      const { kind, severity, score, actual, expected } = finding;
      firings.tell(firing, {
        reason: finding.summary,
        values: { finding_id: finding.id, kind, severity, score, actual, expected },
      });
      const ended = finding.resolvedAt ?? finding.dismissedAt;
      if (ended !== null) firings.recover(series, ended.getTime());
    }
    return { evaluations: Math.min(found.length, pageEvents), truncated: found.length > pageEvents, firings };
  }
}
