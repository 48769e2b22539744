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
import { ActiveFindingsRepository } from './findings/active-findings.repository.js';
import { SentinelController } from './overview/overview.controller.js';
import { SentinelOverviewService } from './overview/overview.service.js';
import { EvidenceWriter } from './rounds/evidence-writer.js';
import { FindingLifecycle } from './rounds/finding-lifecycle.js';
import { TrainingHistoryRepository } from './rounds/training-history.repository.js';
import { ProjectDetector } from './rounds/project-detector.js';
import { BaselineTrainer } from './rounds/baseline-trainer.js';
import { ProjectProfiler } from './rounds/project-profiler.js';
import { DetectionScheduler } from './rounds/detection-scheduler.js';
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
    FindingLifecycle,
    FindingPointsRepository,
    FindingSearch,
    FindingsMaintenance,
    FindingsReader,
    FindingsRepository,
    FindingsService,
    TrainingHistoryRepository,
    ActiveFindingsRepository,
    ProjectDetector,
    BaselineTrainer,
    ProjectOfFinding,
    ProjectProfiler,
    SentinelOverviewService,
    SentinelProcessor,
    DetectionScheduler,
    SeriesProfilesRepository,
    WatchedProjectsRepository,
  ],
  exports: [FindingsReader, DetectionScheduler],
})
export class SentinelModule {}
