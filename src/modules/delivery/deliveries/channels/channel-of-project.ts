import { Injectable } from '@nestjs/common';
import { type ProjectScope, ThingOfProject } from '../../../access/index.js';
import { ChannelNotFound } from '../delivery.errors.js';
import { ChannelsRepository } from './channels.repository.js';

@Injectable()
export class ChannelOfProject extends ThingOfProject {
  readonly parameter = 'channel_id';
  readonly notFound = ChannelNotFound;

  constructor(private readonly channels: ChannelsRepository) {
    super();
  }

  async isIn(scope: ProjectScope, id: string): Promise<boolean> {
    return (await this.channels.find(scope, id)) !== null;
  }
}
