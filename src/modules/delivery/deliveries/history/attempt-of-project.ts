import { Injectable } from '@nestjs/common';
import { type ProjectScope, ThingOfProject } from '../../../access/index.js';
import { AttemptNotFound } from '../delivery.errors.js';
import { HistoryRepository } from './history.repository.js';

@Injectable()
export class AttemptOfProject extends ThingOfProject {
  readonly parameter = 'attempt_id';
  readonly notFound = AttemptNotFound;

  constructor(private readonly history: HistoryRepository) {
    super();
  }

  isIn(scope: ProjectScope, id: string): Promise<boolean> {
    return this.history.exists(scope, id);
  }
}
