import { Controller, Get, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { HealthResponse } from './health.dto.js';
import { ProcessReports } from './process-reports.js';

@ApiTags('health')
@Controller()
export class HealthController {
  constructor(private readonly reports: ProcessReports) {}

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
    const report = await this.reports.health();
    if (report.status === 'down') response.status(503);
    return report;
  }
}
