import { Injectable } from '@nestjs/common';
import { ProjectOfResource } from '../../../access/index.js';
import { SilenceNotFound } from '../alerts.errors.js';
import { SilencesRepository } from './silences.repository.js';

@Injectable()
export class ProjectOfSilence extends ProjectOfResource {
  readonly parameter = 'silence_id';
  readonly notFound = SilenceNotFound;

  constructor(private readonly silences: SilencesRepository) {
    super();
  }

  projectOf(id: string): Promise<string | null> {
    return this.silences.projectOf(id);
  }
}
