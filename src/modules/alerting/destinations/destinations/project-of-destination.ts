import { Injectable } from '@nestjs/common';
import { ProjectOfResource } from '../../../access/index.js';
import { DestinationNotFound } from '../destinations.errors.js';
import { DestinationsRepository } from './destinations.repository.js';

@Injectable()
export class ProjectOfDestination extends ProjectOfResource {
  readonly parameter = 'destination_id';
  readonly notFound = DestinationNotFound;

  constructor(private readonly destinations: DestinationsRepository) {
    super();
  }

  projectOf(id: string): Promise<string | null> {
    return this.destinations.projectOf(id);
  }
}
