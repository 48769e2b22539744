import { Module } from '@nestjs/common';
import { belongsToProject } from '../../tenancy/projects/index.js';
import { HourRollupsProcessor } from './hour-rollups.job.js';
import { HourRollupsRepository } from './hour-rollups.repository.js';
import { HourRollupsService } from './hour-rollups.service.js';
import { SeriesReader } from './series.reader.js';

@Module({
  providers: [
    HourRollupsProcessor,
    HourRollupsRepository,
    HourRollupsService,
    SeriesReader,
    belongsToProject(HourRollupsRepository),
  ],
  exports: [SeriesReader],
})
export class HourRollupsModule {}
