import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Internal, Public } from '../../access/index.js';
import { KeptResult } from '../../../platform/concurrency/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import { HealthResponse } from './health.dto.js';
import { HealthService } from './health.service.js';

/** Components are checked and metrics are rendered at most once a second, whatever the number of requests. */
const KEPT_MS = 1_000;

@ApiTags('health')
@Controller()
export class HealthController {
  private readonly report: KeptResult<HealthResponse>;
  private readonly readiness: KeptResult<boolean>;
  private readonly text: KeptResult<string>;

  constructor(
    health: HealthService,
    private readonly metrics: Metrics,
  ) {
    this.report = new KeptResult(KEPT_MS, () => health.check());
    this.readiness = new KeptResult(KEPT_MS, () => health.isReady());
    this.text = new KeptResult(KEPT_MS, () => metrics.render());
  }

  @Get('health')
  @Public('load balancers and people ask it')
  @Documented({
    operationId: 'getHealth',
    summary: 'Liveness and component health',
    description:
      '`degraded` is answered with 200 as well; 503 says that the database cannot be reached. The answer may be a second old.',
    answer: HealthResponse,
  })
  @ApiResponse({ status: 503, description: 'The database cannot be reached', type: HealthResponse })
  async check(@Res({ passthrough: true }) response: Response): Promise<HealthResponse> {
    const report = await this.report.get();
    if (report.status === 'down') response.status(503);
    return report;
  }

  @Get('ready')
  @ApiExcludeEndpoint()
  @Public('load balancers ask it')
  async ready(@Res({ passthrough: true }) response: Response): Promise<{ ready: boolean }> {
    const ready = await this.readiness.get();
    if (!ready) response.status(503);
    return { ready };
  }

  @Get('metrics')
  @ApiExcludeEndpoint()
  @Internal()
  async render(@Res({ passthrough: true }) response: Response): Promise<string> {
    response.type(this.metrics.contentType);
    return this.text.get();
  }
}
