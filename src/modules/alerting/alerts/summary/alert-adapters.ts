import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { writeList, WrittenJson } from '../../../../platform/http/written-json.js';
import { OpenAlerts } from '../../../events/dashboard/index.js';
import { RelatedAlerts, type WrittenAlerts } from '../../../events/explorer/index.js';
import { PAGE_BYTES } from '../../../events/reads/index.js';
import { alertEventJson } from '../events/alert-events.dto.js';
import { AlertReadsRepository, bytesOf } from '../events/alert-reads.repository.js';

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

/** Reads the alert events of which an event is the first or the last occurrence. */
@Injectable()
export class RelatedAlertsAdapter extends RelatedAlerts {
  constructor(private readonly reads: AlertReadsRepository) {
    super();
  }

  async ofEvent(scope: ProjectScope, eventId: string): Promise<WrittenAlerts> {
    const { items } = await this.reads.ofEvent(scope, eventId, MOST_RELATED, PAGE_BYTES);
    const written = items.map((one) => new WrittenJson<Record<string, unknown>>(alertEventJson(one).text));
    return { list: writeList(written), bytes: bytesOf(items) };
  }
}
