import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { LogsController } from './logs.controller.js';
import { LogsRepository } from './logs.repository.js';
import { LogsService } from './logs.service.js';
import { LogSearchIndex } from './search-index.js';
import { LogSearchIndexProcessor } from './search-index.job.js';

@Module({
  imports: [ProjectsModule],
  controllers: [LogsController],
  providers: [LogsService, LogsRepository, LogSearchIndex, LogSearchIndexProcessor],
})
export class LogsModule {}
