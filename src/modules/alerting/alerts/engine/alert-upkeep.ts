import { Injectable } from '@nestjs/common';
import { Upkeep } from '../../../../platform/upkeep/upkeep.js';
import { AlertRound } from './alert-round.js';

/** What {@link AlertPoller} does, where nothing polls: a turn with each maintenance. */
@Injectable()
export class AlertUpkeep extends Upkeep {
  constructor(private readonly round: AlertRound) {
    super();
  }

  upkeep(): Promise<number> {
    return this.round.run();
  }
}
