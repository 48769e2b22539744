import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Upkeep } from '../../../platform/upkeep/upkeep.js';
import { AlertEventsRepository } from '../events/alert-events.repository.js';
import { AlertLife } from './life.js';
import { Teller } from './teller.js';

/** One round does no more than this; the next one goes on. */
const MOST_ALERTS = 1_000;

/** Ends snoozes that are over, and tells of what was held back once nothing holds it back any more. */
@Injectable()
export class AlertUpkeep extends Upkeep {
  private readonly logger = new Logger('alerts');

  constructor(
    private readonly database: Database,
    private readonly events: AlertEventsRepository,
    private readonly life: AlertLife,
    private readonly teller: Teller,
  ) {
    super();
  }

  /** Each in a transaction of its own, so that one that fails keeps no other from its turn. */
  async upkeep(): Promise<number> {
    const failed: string[] = [];
    let done = 0;
    while (done + failed.length < MOST_ALERTS) {
      let id: string | undefined;
      try {
        const found = await this.database.transaction(async (tx) => {
          const held = await this.events.lockDue(failed, tx);
          if (held === null) return false;
          id = held.alert.id;
          await this.teller.tell(await this.life.wake(held, tx), held.now, tx);
          return true;
        });
        if (!found) break;
        done += 1;
      } catch (error) {
        if (id === undefined) throw error;
        failed.push(id);
        this.logger.warn(`what is due for alert event ${id} failed: ${String(error)}`);
      }
    }
    return done;
  }
}
