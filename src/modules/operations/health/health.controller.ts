import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import { HealthResponse } from './health.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('health')
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthService,
    private readonly metrics: Metrics,
  ) {}

  @Get('health')
  @Public('load balancers and people ask it')
  @Documented({
    operationId: 'getHealth',
    summary: 'Liveness and component health',
    description: '`degraded` is answered with 200 as well; 503 says that the database cannot be reached.',
    answer: HealthResponse,
  })
  @ApiResponse({ status: 503, description: 'The database cannot be reached', type: HealthResponse })
  async check(@Res({ passthrough: true }) response: Response): Promise<HealthResponse> {
    const report = await this.health.check();
    if (report.status === 'down') response.status(503);
    return report;
  }

  @Get('ready')
  @ApiExcludeEndpoint()
  @Public('load balancers ask it')
  async ready(@Res({ passthrough: true }) response: Response): Promise<{ ready: boolean }> {
    const ready = await this.health.isReady();
    if (!ready) response.status(503);
    return { ready };
  }

  @Get('metrics')
  @ApiExcludeEndpoint()
  @Public('scraped inside the network; holds no tenant data')
  async render(@Res({ passthrough: true }) response: Response): Promise<string> {
    response.type(this.metrics.contentType);
    return this.metrics.render();
  }
}
