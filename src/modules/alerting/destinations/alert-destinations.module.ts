import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../identity/audit/index.js';
import { DeliveryModule } from '../../delivery/deliveries/index.js';
import { sendingEngineOf } from '../../delivery/sending/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesOfDeletedProjects } from './deliveries/deliveries-of-deleted-projects.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { AlertDelivery } from './deliveries/delivery.entity.js';
import { ProjectOfAlertDelivery } from './deliveries/project-of-alert-delivery.js';
import { AlertDestination } from './destinations/destination.entity.js';
import { DestinationTestService } from './destinations/destination-test.service.js';
import { DestinationVault } from './destinations/destination-vault.js';
import { DestinationsController } from './destinations/destinations.controller.js';
import { DestinationsRepository } from './destinations/destinations.repository.js';
import { DestinationsService } from './destinations/destinations.service.js';
import { LinkedDestinations } from './destinations/linked-destinations.js';
import { PreviousSecrets } from './destinations/previous-secrets.js';
import { ProjectOfDestination } from './destinations/project-of-destination.js';
import { TargetAddresses } from './destinations/target-addresses.js';
import { AlertDeliveriesProcessor, AlertDeliveryWakeProcessor } from './engine/alert-deliveries.processors.js';
import { ALERT_DELIVERY_ENGINE, AlertDeliveryOutbox } from './engine/alert-delivery.outbox.js';
import { AlertNotices } from './notices/alert-notices.js';
import { Courier } from './notices/courier.js';
import { AlertNoticeRecord } from './notices/notice.entity.js';

const ENGINE = [
  AlertDeliveriesProcessor,
  AlertDeliveryOutbox,
  AlertDeliveryWakeProcessor,
  Courier,
  sendingEngineOf(ALERT_DELIVERY_ENGINE, AlertDeliveryOutbox),
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
    DeliveriesOfDeletedProjects,
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
