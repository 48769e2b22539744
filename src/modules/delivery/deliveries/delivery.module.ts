import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { sealedColumns } from '../../../platform/sealed-columns/index.js';
import { SecretsModule } from '../../entitlement/secrets/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { TemplatesModule } from '../templates/index.js';
import { sendingEngineOf } from '../sending/index.js';
import { DeliveryAttempt } from './attempts/attempt.entity.js';
import { AttemptsRepository } from './attempts/attempts.repository.js';
import { RetryAudit } from './attempts/retry-audit.entity.js';
import { ChannelTestController } from './engine/channel-test.controller.js';
import { ChannelTestService } from './engine/channel-test.service.js';
import { DeliveryChannel, PREVIOUS_SIGNING_SECRET, SIGNING_SECRET } from './channels/channel.entity.js';
import { ChannelsController } from './channels/channels.controller.js';
import { ChannelOfProject, ChannelsRepository } from './channels/channels.repository.js';
import { ChannelTemplateSecretsRepository } from './channels/channel-template-secrets.repository.js';
import { ChannelsService } from './channels/channels.service.js';
import { HeaderSecret } from './channels/header-secret.entity.js';
import { HeaderSecretsRepository } from './channels/header-secrets.repository.js';
import { HeaderSecretsService } from './channels/header-secrets.service.js';
import { HeaderVault } from './channels/header-vault.js';
import { HEADER_VALUE, ProtectedHeader } from './channels/protected-header.entity.js';
import { ProtectedHeaderOpener } from './channels/protected-header.opener.js';
import { ProtectedHeadersController } from './channels/protected-headers.controller.js';
import { ProtectedHeadersService } from './channels/protected-headers.service.js';
import { PreviousSigningSecretsMaintenance, SigningVault } from './channels/signing-vault.js';
import { DeliveryRequestService } from './delivery-request.service.js';
import { AttemptClaimsRepository } from './engine/attempt-claims.repository.js';
import { AttemptOutbox, DELIVERY_ENGINE } from './engine/attempt.outbox.js';
import { DeliveryRetriesProcessor, DeliveryWakeProcessor, DlqDrainProcessor } from './engine/delivery.processors.js';
import { ChannelAddressValidator } from './drivers/channel-address.validator.js';
import { ChannelDriverRegistry } from './drivers/channel-driver.registry.js';
import { CHANNEL_DRIVERS } from './drivers/channel-drivers.js';
import { AttemptPresenter } from './history/attempt.presenter.js';
import { AttemptCountsRepository } from './history/attempt-counts.repository.js';
import { HistoryController } from './history/history.controller.js';
import { AttemptOfProject, HistoryRepository } from './history/history.repository.js';
import { HistoryService } from './history/history.service.js';
import { ReadinessService } from './recovery/readiness.service.js';
import { RecoveryAudit } from './recovery/recovery-audit.entity.js';
import { RecoveryAuditWriter } from './recovery/recovery-audit.writer.js';
import { RecoveryDispatcher } from './recovery/recovery.dispatcher.js';
import { RecoveryController } from './recovery/recovery.controller.js';
import { RecoveryService } from './recovery/recovery.service.js';
import { RetryNowService } from './recovery/retry-now.service.js';
import { DeliveryChannelSearch } from './channels/channel-search.reader.js';

const DRIVERS = [...Object.values(CHANNEL_DRIVERS), ChannelAddressValidator, ChannelDriverRegistry];

const ENGINE = [
  AttemptClaimsRepository,
  AttemptOutbox,
  DeliveryRetriesProcessor,
  DeliveryWakeProcessor,
  DlqDrainProcessor,
  sendingEngineOf(DELIVERY_ENGINE, AttemptOutbox),
];

@Module({
  imports: [
    AuditModule,
    ProjectsModule,
    SecretsModule,
    TemplatesModule,
    TypeOrmModule.forFeature([
      DeliveryChannel,
      ProtectedHeader,
      HeaderSecret,
      DeliveryAttempt,
      RetryAudit,
      RecoveryAudit,
    ]),
  ],
  controllers: [
    ChannelsController,
    ProtectedHeadersController,
    ChannelTestController,
    HistoryController,
    RecoveryController,
  ],
  providers: [
    DeliveryChannelSearch,
    ...DRIVERS,
    ...ENGINE,
    ...sealedColumns(HEADER_VALUE, PREVIOUS_SIGNING_SECRET, SIGNING_SECRET),
    AttemptPresenter,
    AttemptCountsRepository,
    AttemptOfProject,
    belongsToProject(AttemptsRepository),
    AttemptsRepository,
    ChannelOfProject,
    ChannelTemplateSecretsRepository,
    ChannelTestService,
    ChannelsRepository,
    ChannelsService,
    DeliveryRequestService,
    HeaderSecretsRepository,
    HeaderSecretsService,
    HeaderVault,
    HistoryRepository,
    HistoryService,
    PreviousSigningSecretsMaintenance,
    ProtectedHeaderOpener,
    ProtectedHeadersService,
    ReadinessService,
    RecoveryAuditWriter,
    RecoveryDispatcher,
    RecoveryService,
    RetryNowService,
    SigningVault,
  ],
  exports: [DeliveryRequestService],
})
export class DeliveryModule {}
