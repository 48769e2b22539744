import { Injectable } from '@nestjs/common';
import { Upkeep } from '../../../../platform/upkeep/upkeep.js';
import { DestinationsRepository } from './destinations.repository.js';

/** A secret that signs no more is forgotten. */
@Injectable()
export class PreviousSecrets extends Upkeep {
  constructor(private readonly destinations: DestinationsRepository) {
    super();
  }

  upkeep(): Promise<number> {
    return this.destinations.forgetPreviousSecrets();
  }
}
