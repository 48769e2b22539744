import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../identity/audit/index.js';
import { DeliveryModule } from '../../delivery/deliveries/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesRepository, ProjectOfAlertDelivery } from './deliveries/deliveries.repository.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { AlertDelivery } from './deliveries/delivery.entity.js';
import { AlertDestination } from './destinations/destination.entity.js';
import { DestinationTestService } from './destinations/destination-test.service.js';
import { DestinationVault } from './destinations/destination-vault.js';
import { DestinationsController } from './destinations/destinations.controller.js';
import { DestinationsRepository, ProjectOfDestination } from './destinations/destinations.repository.js';
import { DestinationsService } from './destinations/destinations.service.js';
import { LinkedDestinations } from './destinations/linked-destinations.js';
import { PreviousSecrets } from './destinations/previous-secrets.js';
import { TargetAddresses } from './destinations/target-addresses.js';
import { AlertDeliveryMetrics } from './engine/alert-delivery-metrics.js';
import { AlertDeliveryPoller } from './engine/alert-delivery-poller.js';
import { AlertDeliveriesProcessor, AlertDeliveryWakeProcessor } from './engine/alert-delivery-round.js';
import { AlertDeliveryWakes } from './engine/alert-delivery-wakes.js';
import { AlertDispatcher } from './engine/alert-dispatcher.js';
import { ClaimsRepository } from './engine/claims.repository.js';
import { ExpiredClaims } from './engine/expired-claims.js';
import { Sender } from './engine/sender.js';
import { AlertNotices } from './notices/alert-notices.js';
import { Courier } from './notices/courier.js';
import { AlertNoticeRecord } from './notices/notice.entity.js';

const ENGINE = [
  AlertDeliveriesProcessor,
  AlertDeliveryMetrics,
  AlertDeliveryPoller,
  AlertDeliveryWakeProcessor,
  AlertDeliveryWakes,
  AlertDispatcher,
  ClaimsRepository,
  Courier,
  ExpiredClaims,
  Sender,
];

@Module({
  imports: [
    AuditModule,
    DeliveryModule,
    ProjectsModule,
    TypeOrmModule.forFeature([AlertDestination, AlertNoticeRecord, AlertDelivery]),
  ],
  controllers: [DestinationsController, DeliveriesController],
  providers: [
    ...ENGINE,
    AlertNotices,
    belongsToProject(DeliveriesRepository),
    DeliveriesRepository,
    DeliveriesService,
    DestinationTestService,
    DestinationVault,
    DestinationsRepository,
    DestinationsService,
    LinkedDestinations,
    PreviousSecrets,
    ProjectOfAlertDelivery,
    ProjectOfDestination,
    TargetAddresses,
  ],
  exports: [AlertNotices, LinkedDestinations],
})
export class AlertDestinationsModule {}
