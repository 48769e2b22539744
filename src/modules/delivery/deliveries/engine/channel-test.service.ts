import { Inject, Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { currentContext } from '../../../../platform/telemetry/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptNotFound, ChannelNotFound } from '../delivery.errors.js';
import { AttemptClaimsRepository } from './attempt-claims.repository.js';
import { DELIVERY_ENGINE, type DeliveryEngine } from './attempt.outbox.js';
import { channelTestResponse, type ChannelTestResponse } from './channel-test.dto.js';
import { ChannelsRepository } from '../channels/channels.repository.js';
import { ProtectedHeaderOpener } from '../channels/protected-header.opener.js';

/** Sends test notifications while the caller waits. They are never retried. */
@Injectable()
export class ChannelTestService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelsRepository,
    private readonly headers: ProtectedHeaderOpener,
    private readonly attempts: AttemptsRepository,
    private readonly claims: AttemptClaimsRepository,
    @Inject(DELIVERY_ENGINE) private readonly engine: DeliveryEngine,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
  ) {}

  /**
   * Inserts and claims an attempt in one transaction, so that no worker can claim it first. The claim expires if this
   * process dies.
   */
  async test(scope: ProjectMemberScope, channelId: string): Promise<ChannelTestResponse> {
    const id = newId();
    const claimed = await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      if ((await this.channels.share(scope, channelId, tx)) === null) throw new ChannelNotFound();
      await this.headers.assertAvailable(scope, channelId, tx);
      await this.attempts.insert(
        scope,
        { id, channelId, kind: 'test', traceparent: currentContext()?.traceparent },
        tx,
      );
      const target = { type: 'delivery_channel', id: channelId };
      await this.audit.record(projectAct(scope, 'delivery.channel_tested', { attempt_id: id }, target), tx);
      return this.claims.claimOne(scope, this.engine.claimant('test'), id, tx);
    });
    if (claimed !== null) await this.engine.send(claimed);
    const attempt = await this.attempts.find(scope, id);
    if (attempt === null) throw new AttemptNotFound();
    return channelTestResponse(attempt);
  }
}
