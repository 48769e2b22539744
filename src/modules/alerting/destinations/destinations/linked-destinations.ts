import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { DestinationsRepository } from './destinations.repository.js';

/** What rules that link destinations ask. */
@Injectable()
export class LinkedDestinations {
  constructor(private readonly destinations: DestinationsRepository) {}

  /** The ids that are no destinations of the project; the others are held against deletion while the transaction lasts. */
  async unknown(scope: Pick<ProjectScope, 'projectId'>, ids: readonly string[], tx: Db): Promise<string[]> {
    const known = new Set(ids.length === 0 ? [] : await this.destinations.share(scope, ids, tx));
    return ids.filter((id) => !known.has(id));
  }
}
