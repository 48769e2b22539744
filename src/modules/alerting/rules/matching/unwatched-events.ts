import { Injectable } from '@nestjs/common';
import { Upkeep } from '../../../../platform/upkeep/upkeep.js';
import { OutboxRepository } from './outbox.repository.js';

/** Removes rows of the outbox that nobody will read. */
@Injectable()
export class UnwatchedEvents extends Upkeep {
  constructor(private readonly outbox: OutboxRepository) {
    super();
  }

  upkeep(): Promise<number> {
    return this.outbox.removeUnwatched();
  }
}
