import { Module } from '@nestjs/common';
import { EventStoreModule } from '../../events/event-store/index.js';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../identity/audit/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { HeartbeatsModule } from '../heartbeats/index.js';
import { FeedbackRepository } from './findings/feedback.repository.js';
import { FindingPointsRepository } from './findings/finding-points.repository.js';
import { FindingSearch } from './findings/finding-search.reader.js';
import { Finding } from './findings/finding.entity.js';
import { FindingsController } from './findings/findings.controller.js';
import { FindingsReader } from './findings/findings.reader.js';
import { FindingsMaintenance } from './findings/findings.maintenance.js';
import { FindingsRepository, ProjectOfFinding } from './findings/findings.repository.js';
import { FindingsService } from './findings/findings.service.js';
import { LivingFindingsRepository } from './findings/living-findings.repository.js';
import { SentinelController } from './overview/overview.controller.js';
import { SentinelOverviewService } from './overview/overview.service.js';
import { EvidenceWriter } from './rounds/evidence-writer.js';
import { FindingBook } from './rounds/finding-book.js';
import { LessonsRepository } from './rounds/lessons.repository.js';
import { ProjectJudge } from './rounds/project-judge.js';
import { ProjectLearner } from './rounds/project-learner.js';
import { ProjectProfiler } from './rounds/project-profiler.js';
import { SentinelRounds } from './rounds/sentinel-rounds.js';
import { SentinelProcessor } from './rounds/sentinel.job.js';
import { SeriesProfilesRepository } from './rounds/series-profiles.repository.js';
import { WatchedProjectsRepository } from './rounds/watched-projects.repository.js';

@Module({
  imports: [
    EventStoreModule,
    AuditModule,
    DiscoveryModule,
    HeartbeatsModule,
    ProjectsModule,
    TypeOrmModule.forFeature([Finding]),
  ],
  controllers: [FindingsController, SentinelController],
  providers: [
    EvidenceWriter,
    FeedbackRepository,
    FindingBook,
    FindingPointsRepository,
    FindingSearch,
    FindingsMaintenance,
    FindingsReader,
    FindingsRepository,
    FindingsService,
    LessonsRepository,
    LivingFindingsRepository,
    ProjectJudge,
    ProjectLearner,
    ProjectOfFinding,
    ProjectProfiler,
    SentinelOverviewService,
    SentinelProcessor,
    SentinelRounds,
    SeriesProfilesRepository,
    WatchedProjectsRepository,
  ],
  exports: [FindingsReader, SentinelRounds],
})
export class SentinelModule {}
