import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../identity/audit/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { DeliveryAttempt } from './attempts/attempt.entity.js';
import { AttemptsRepository } from './attempts/attempts.repository.js';
import { RetryAudit } from './attempts/retry-audit.entity.js';
import { ChannelTestController } from './channels/channel-test.controller.js';
import { ChannelTestService } from './channels/channel-test.service.js';
import { DeliveryChannel } from './channels/channel.entity.js';
import { ChannelsController } from './channels/channels.controller.js';
import { LinkedChannels } from './channels/linked-channels.js';
import { ChannelOfProject, ChannelsRepository } from './channels/channels.repository.js';
import { ChannelsService } from './channels/channels.service.js';
import { Destinations } from './channels/destinations.js';
import { HeaderVault } from './channels/header-vault.js';
import { ProtectedHeader } from './channels/protected-header.entity.js';
import { ProtectedHeadersController } from './channels/protected-headers.controller.js';
import { ProtectedHeadersService } from './channels/protected-headers.service.js';
import { DeliveryRequests } from './delivery-requests.js';
import { ClaimsRepository } from './engine/claims.repository.js';
import { DeliveryMetrics } from './engine/delivery-metrics.js';
import { DeliveryPoller } from './engine/delivery-poller.js';
import {
  DeliveryRetriesProcessor,
  DeliveryRound,
  DeliveryWakeProcessor,
  DlqDrainProcessor,
} from './engine/delivery-round.js';
import { DeliveryWakes } from './engine/delivery-wakes.js';
import { DeliveryDispatcher } from './engine/delivery-dispatcher.js';
import { EmailDriver } from './engine/email-driver.js';
import { ExpiredClaims } from './engine/expired-claims.js';
import { Sender } from './engine/sender.js';
import { WebhookDriver } from './engine/webhook-driver.js';
import { AttemptAnswers } from './history/attempt-answers.js';
import { AttemptCounts } from './history/attempt-counts.js';
import { HistoryController } from './history/history.controller.js';
import { AttemptOfProject, HistoryRepository } from './history/history.repository.js';
import { HistoryService } from './history/history.service.js';
import { ReadinessService } from './recovery/readiness.service.js';
import { RecoveryAnswers } from './recovery/recovery-answers.js';
import { RecoveryAudit } from './recovery/recovery-audit.entity.js';
import { RecoveryAudits } from './recovery/recovery-audits.js';
import { RecoverySends } from './recovery/recovery-sends.js';
import { RecoveryController } from './recovery/recovery.controller.js';
import { RecoveryService } from './recovery/recovery.service.js';
import { RetryNowService } from './recovery/retry-now.service.js';

const ENGINE = [
  ClaimsRepository,
  DeliveryDispatcher,
  DeliveryMetrics,
  DeliveryPoller,
  DeliveryRetriesProcessor,
  DeliveryRound,
  DeliveryWakeProcessor,
  DeliveryWakes,
  DlqDrainProcessor,
  EmailDriver,
  ExpiredClaims,
  Sender,
  WebhookDriver,
];

@Module({
  imports: [
    AuditModule,
    ProjectsModule,
    TypeOrmModule.forFeature([DeliveryChannel, ProtectedHeader, DeliveryAttempt, RetryAudit, RecoveryAudit]),
  ],
  controllers: [
    ChannelsController,
    ProtectedHeadersController,
    ChannelTestController,
    HistoryController,
    RecoveryController,
  ],
  providers: [
    ...ENGINE,
    AttemptAnswers,
    AttemptCounts,
    AttemptOfProject,
    belongsToProject(AttemptsRepository),
    AttemptsRepository,
    ChannelOfProject,
    ChannelTestService,
    ChannelsRepository,
    ChannelsService,
    DeliveryRequests,
    Destinations,
    HeaderVault,
    HistoryRepository,
    HistoryService,
    LinkedChannels,
    ProtectedHeadersService,
    ReadinessService,
    RecoveryAnswers,
    RecoveryAudits,
    RecoverySends,
    RecoveryService,
    RetryNowService,
  ],
  exports: [DeliveryRequests, LinkedChannels],
})
export class DeliveryModule {}
