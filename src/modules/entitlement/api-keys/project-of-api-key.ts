import { Injectable } from '@nestjs/common';
import { ProjectOfResource } from '../../access/index.js';
import { ApiKeyNotFound } from './api-keys.errors.js';
import { ApiKeysRepository } from './api-keys.repository.js';

@Injectable()
export class ProjectOfApiKey extends ProjectOfResource {
  readonly parameter = 'key_id';
  readonly notFound = ApiKeyNotFound;

  constructor(private readonly keys: ApiKeysRepository) {
    super();
  }

  projectOf(id: string): Promise<string | null> {
    return this.keys.projectOf(id);
  }
}
