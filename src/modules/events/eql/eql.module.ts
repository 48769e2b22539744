import { Module } from '@nestjs/common';
import { TimeRangesModule } from '../time-ranges/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { LongReadsModule } from '../long-reads/index.js';
import { EventReadsModule } from '../reads/index.js';
import { AnswerWriter } from './answer-writer.js';
import { PropertyCatalogue } from './catalogue/property-catalogue.service.js';
import { EqlController } from './eql.controller.js';
import { EqlService } from './eql.service.js';
import { QueryRunner } from './running/query-runner.js';
import { RunLimits } from './running/run-limits.js';

@Module({
  imports: [LongReadsModule, EventReadsModule, EventStoreModule, ProjectsModule, TimeRangesModule],
  controllers: [EqlController],
  providers: [EqlService, QueryRunner, PropertyCatalogue, AnswerWriter, RunLimits],
})
export class EqlModule {}
