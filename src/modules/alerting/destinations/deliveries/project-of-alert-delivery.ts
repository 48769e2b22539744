import { Injectable } from '@nestjs/common';
import { ProjectOfResource } from '../../../access/index.js';
import { AlertDeliveryNotFound } from '../destinations.errors.js';
import { DeliveriesRepository } from '../outbox/deliveries.repository.js';

@Injectable()
export class ProjectOfAlertDelivery extends ProjectOfResource {
  readonly parameter = 'delivery_id';
  readonly notFound = AlertDeliveryNotFound;

  constructor(private readonly deliveries: DeliveriesRepository) {
    super();
  }

  projectOf(id: string): Promise<string | null> {
    return this.deliveries.projectOf(id);
  }
}
