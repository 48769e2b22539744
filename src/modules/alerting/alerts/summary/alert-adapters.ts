import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { OpenAlerts } from '../../../events/dashboard/index.js';
import { RelatedAlerts } from '../../../events/explorer/index.js';
import { alertEventResponse } from '../events/alert-events.dto.js';
import { AlertReadsRepository } from '../events/alert-reads.repository.js';

const MOST_RELATED = 50;

@Injectable()
export class OpenAlertsAdapter extends OpenAlerts {
  constructor(private readonly reads: AlertReadsRepository) {
    super();
  }

  countOpen(scope: ProjectScope): Promise<number> {
    return this.reads.countOpen(scope);
  }
}

/** Alert events that an event began, or was the last occurrence of. */
@Injectable()
export class RelatedAlertsAdapter extends RelatedAlerts {
  constructor(private readonly reads: AlertReadsRepository) {
    super();
  }

  async ofEvent(scope: ProjectScope, eventId: string): Promise<Record<string, unknown>[]> {
    const found = await this.reads.ofEvent(scope, eventId, MOST_RELATED);
    return found.map((held) => ({ ...alertEventResponse(held) }));
  }
}
