import { Injectable } from '@nestjs/common';
import { ProjectOfResource } from '../../../access/index.js';
import { AlertEventNotFound } from '../alerts.errors.js';
import { AlertEventsRepository } from './alert-events.repository.js';

@Injectable()
export class ProjectOfAlertEvent extends ProjectOfResource {
  readonly parameter = 'alert_event_id';
  readonly notFound = AlertEventNotFound;

  constructor(private readonly events: AlertEventsRepository) {
    super();
  }

  projectOf(id: string): Promise<string | null> {
    return this.events.projectOf(id);
  }
}
