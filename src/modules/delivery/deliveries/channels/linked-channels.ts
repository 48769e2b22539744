import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { ChannelsRepository } from './channels.repository.js';

/** What rules that link channels ask. */
@Injectable()
export class LinkedChannels {
  constructor(private readonly channels: ChannelsRepository) {}

  /** The ids that are no channels of the project; the others are held against deletion while the transaction lasts. */
  async unknown(scope: Pick<ProjectScope, 'projectId'>, ids: readonly string[], tx: Db): Promise<string[]> {
    const known = new Set(ids.length === 0 ? [] : (await this.channels.shareAll(scope, ids, tx)).map(({ id }) => id));
    return ids.filter((id) => !known.has(id));
  }
}
