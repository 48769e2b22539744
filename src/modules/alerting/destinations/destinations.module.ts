import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { sealedColumns } from '../../../platform/sealed-columns/index.js';
import { AuditModule } from '../../identity/audit/index.js';
import { sendingEngineOf } from '../../delivery/sending/index.js';
import { TemplatesModule } from '../../delivery/templates/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { AlertDeliveryRequestService } from './delivery-request.service.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesRepository, ProjectOfAlertDelivery } from './outbox/deliveries.repository.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { AlertDelivery } from './outbox/delivery.entity.js';
import {
  AlertDestination,
  DESTINATION_SECRET,
  PREVIOUS_SECRET,
  SEALED_URL,
} from './destinations/destination.entity.js';
import { DestinationTemplateSecretsRepository } from './destinations/destination-template-secrets.repository.js';
import { DestinationTestService } from './destinations/destination-test.service.js';
import { DestinationVault, PreviousSecretsMaintenance } from './destinations/destination-vault.js';
import { DestinationsController } from './destinations/destinations.controller.js';
import { DestinationsRepository, ProjectOfDestination } from './destinations/destinations.repository.js';
import { DestinationsService } from './destinations/destinations.service.js';
import { AlertNotificationSender } from './destinations/alert-notification.sender.js';
import { TargetAddressValidator } from './destinations/target-address.validator.js';
import { DESTINATION_DRIVERS, DestinationDriverRegistry } from './drivers/destination-drivers.js';
import { SignedPostClient } from './drivers/signed-post.client.js';
import { AlertDeliveriesProcessor, AlertDeliveryWakeProcessor } from './engine/deliveries.processors.js';
import { ALERT_DELIVERY_ENGINE, AlertDeliveryOutbox } from './engine/delivery.outbox.js';
import { AlertNotificationRecord } from './outbox/alert-notification.entity.js';
import { AlertDestinationSearch } from './destinations/destination-search.reader.js';

const DRIVERS = [...Object.values(DESTINATION_DRIVERS), DestinationDriverRegistry, SignedPostClient];

const ENGINE = [
  AlertDeliveriesProcessor,
  AlertDeliveryOutbox,
  AlertDeliveryWakeProcessor,
  sendingEngineOf(ALERT_DELIVERY_ENGINE, AlertDeliveryOutbox),
];

@Module({
  imports: [
    AuditModule,
    ProjectsModule,
    TemplatesModule,
    TypeOrmModule.forFeature([AlertDestination, AlertNotificationRecord, AlertDelivery]),
  ],
  controllers: [DestinationsController, DeliveriesController],
  providers: [
    AlertDestinationSearch,
    ...DRIVERS,
    ...ENGINE,
    ...sealedColumns(DESTINATION_SECRET, PREVIOUS_SECRET, SEALED_URL),
    AlertDeliveryRequestService,
    belongsToProject(DeliveriesRepository),
    DeliveriesRepository,
    DeliveriesService,
    DestinationTemplateSecretsRepository,
    DestinationTestService,
    DestinationVault,
    DestinationsRepository,
    DestinationsService,
    AlertNotificationSender,
    PreviousSecretsMaintenance,
    ProjectOfAlertDelivery,
    ProjectOfDestination,
    TargetAddressValidator,
  ],
  exports: [AlertDeliveryRequestService],
})
export class AlertDestinationsModule {}
