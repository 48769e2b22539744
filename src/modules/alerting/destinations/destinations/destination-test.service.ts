import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { Database } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import {
  DestinationCredentialsUnavailable,
  DestinationNotFound,
  DestinationTestFailed,
} from '../destinations.errors.js';
import { testNotification } from '../drivers/alert-notification.js';
import { destinationResponse, type DestinationTestResponse } from './destinations.dto.js';
import { DestinationsRepository } from './destinations.repository.js';
import { AlertNotificationSender } from './alert-notification.sender.js';

/** The time limit of a whole test, from name resolution to the end of the answer. */
const TEST_DEADLINE_MS = 10_000;

/** Sends test notifications while the caller waits, after the audit record is committed. */
@Injectable()
export class DestinationTestService {
  constructor(
    private readonly database: Database,
    private readonly destinations: DestinationsRepository,
    private readonly sender: AlertNotificationSender,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
    private readonly clock: Clock,
  ) {}

  /** @throws DestinationTestFailed with the sanitized reason, unless the destination answers 2xx */
  async test(scope: ProjectMemberScope, id: string): Promise<DestinationTestResponse> {
    const deliveryId = newId();
    const destination = await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const found = await this.destinations.find(scope, id, tx);
      if (found === null) throw new DestinationNotFound();
      const target = { type: 'alert_destination', id };
      await this.audit.record(projectAct(scope, 'alert_destination.tested', { delivery_id: deliveryId }, target), tx);
      return found;
    });
    const started = performance.now();
    const testedAt = this.clock.now();
    const notification = testNotification(scope.projectId, testedAt);
    const outcome = await this.sender.send(
      { destination, notification, deliveryId, attempt: 1, project: null },
      TEST_DEADLINE_MS,
    );
    if (outcome.kind === 'unavailable') throw new DestinationCredentialsUnavailable();
    if (outcome.kind !== 'sent') throw new DestinationTestFailed(outcome.reason ?? undefined);
    return {
      ok: true,
      destination: destinationResponse(scope, destination),
      delivery_id: deliveryId,
      response_code: outcome.responseCode,
      response_summary: outcome.summary,
      duration_ms: Math.round(performance.now() - started),
      tested_at: testedAt.toISOString(),
    };
  }
}
