import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Internal } from '../../access/index.js';
import type { Readiness } from './health.service.js';
import { ProcessReports } from './process-reports.js';

/** Serves readiness and metrics on the port of the API when there is no operations port. */
@ApiExcludeController()
@Controller()
export class ProbesController {
  constructor(private readonly reports: ProcessReports) {}

  @Get('ready')
  @Internal()
  async ready(@Res({ passthrough: true }) response: Response): Promise<Readiness> {
    const readiness = await this.reports.ready();
    if (!readiness.ready) response.status(503);
    return readiness;
  }

  @Get('metrics')
  @Internal()
  async metrics(@Res({ passthrough: true }) response: Response): Promise<string> {
    response.type(this.reports.metricsType);
    return this.reports.metrics();
  }
}
