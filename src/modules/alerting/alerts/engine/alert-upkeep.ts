import { Injectable } from '@nestjs/common';
import { Upkeep } from '../../../../platform/upkeep/upkeep.js';
import { DueAlertsRunner } from './due-alerts-runner.js';

/** What {@link AlertPoller} does, where nothing polls: a turn with each maintenance. */
@Injectable()
export class AlertUpkeep extends Upkeep {
  constructor(private readonly runner: DueAlertsRunner) {
    super();
  }

  upkeep(): Promise<number> {
    return this.runner.run();
  }
}
