import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../../platform/telemetry/index.js';

/** Counts what is matched, evaluated and left out, and measures how far matching lags behind. Operators watch these. */
@Injectable()
export class RuleMetrics {
  private readonly batches;
  private readonly fired;
  private readonly skipped;
  private readonly evaluations;
  private readonly failures;
  private readonly delay;

  constructor(metrics: Metrics) {
    this.batches = metrics.counter('oes_alert_rule_batches_total', 'Batches of events matched against rules');
    this.fired = metrics.counter('oes_alert_rule_occurrences_total', 'Occurrences that rules have handed on');
    this.skipped = metrics.counter(
      'oes_alert_rule_skipped_total',
      'Events, alerts or batches left out because they could not be worked on',
      ['what'] as const,
    );
    this.evaluations = metrics.counter('oes_alert_rule_evaluations_total', 'Evaluations of rules on windows', [
      'result',
    ] as const);
    this.failures = metrics.counter(
      'oes_alert_rule_evaluation_failures_total',
      'Times that a rule could not be evaluated; the rule says why in last_error',
    );
    this.delay = metrics.histogram(
      'oes_alert_rule_match_delay_seconds',
      'From the acceptance of events to their matching',
    );
  }

  matched(batches: number, waitedSeconds: number): void {
    this.batches.inc(batches);
    this.delay.observe(Math.max(0, waitedSeconds));
  }

  occurred(count: number): void {
    this.fired.inc(count);
  }

  skippedOne(what: 'event' | 'alert' | 'batch'): void {
    this.skipped.inc({ what });
  }

  failed(): void {
    this.failures.inc();
  }

  evaluated(result: 'done' | 'failed'): void {
    this.evaluations.inc({ result });
  }
}
