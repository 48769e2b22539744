import { Injectable } from '@nestjs/common';
import { ProjectOfResource } from '../../access/index.js';
import { EventSourceNotFound } from '../api-keys/index.js';
import { EventSourcesRepository } from './event-sources.repository.js';

@Injectable()
export class ProjectOfSource extends ProjectOfResource {
  readonly parameter = 'source_id';
  readonly notFound = EventSourceNotFound;

  constructor(private readonly sources: EventSourcesRepository) {
    super();
  }

  projectOf(id: string): Promise<string | null> {
    return this.sources.projectOf(id);
  }
}
