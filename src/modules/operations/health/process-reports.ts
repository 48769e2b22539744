import { Injectable } from '@nestjs/common';
import { KeptResult } from '../../../platform/concurrency/index.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import type { HealthResponse } from './health.dto.js';
import { HealthService, type Readiness } from './health.service.js';

/** Components are checked and metrics are rendered at most once a second, whatever the number of requests. */
const KEPT_MS = 1_000;

/** Reports of this process for operators. */
@Injectable()
export class ProcessReports {
  private readonly report: KeptResult<HealthResponse>;
  private readonly readiness: KeptResult<Readiness>;
  private readonly text: KeptResult<string>;
  private isStopping = false;

  constructor(
    health: HealthService,
    private readonly registry: Metrics,
  ) {
    this.report = new KeptResult(KEPT_MS, () => health.check());
    this.readiness = new KeptResult(KEPT_MS, () => health.readiness());
    this.text = new KeptResult(KEPT_MS, () => registry.render());
  }

  /** The Content-Type of {@link metrics}. */
  get metricsType(): string {
    return this.registry.contentType;
  }

  health(): Promise<HealthResponse> {
    return this.report.get();
  }

  /** Returns whether new work may be sent to this process. It is not ready any more once it has begun to stop. */
  async ready(): Promise<Readiness> {
    const readiness = await this.readiness.get();
    return this.isStopping ? { ...readiness, ready: false } : readiness;
  }

  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string> {
    return this.text.get();
  }

  beginStop(): void {
    this.isStopping = true;
  }
}
