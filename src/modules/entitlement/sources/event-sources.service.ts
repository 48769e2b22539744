import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import type { ProjectMemberScope, ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { apiBaseOf } from '../../../platform/http/api-base.js';
import { newId } from '../../../platform/ids/index.js';
import { EventSourceNotFound, KeyAuthenticator, KeyIssuer } from '../api-keys/index.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { PLAN_LIMITS } from '../../tenancy/organizations/index.js';
import { projectAct, ProjectAuthorization } from '../../tenancy/projects/index.js';
import {
  type ChangeEventSourceRequest,
  type CreatedEventSourceResponse,
  type CreateEventSourceRequest,
  eventSourceResponse,
  type EventSourceResponse,
} from './event-sources.dto.js';
import { SourceHasEvents, SourcePlanLimit } from './event-sources.errors.js';
import { EventSourcesReader, type SeenEventSource } from './event-sources.reader.js';
import { EventSourcesRepository } from './event-sources.repository.js';
import { SourceHooksService } from './hooks/source-hooks.service.js';

@Injectable()
export class EventSourcesService {
  constructor(
    private readonly database: Database,
    private readonly sources: EventSourcesRepository,
    private readonly reader: EventSourcesReader,
    private readonly hooks: SourceHooksService,
    private readonly issuer: KeyIssuer,
    private readonly authenticator: KeyAuthenticator,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Creates a source with its first key. The transaction locks the project, so parallel creations are counted one after
   * another. Disabled sources count too.
   */
  create(
    scope: ProjectMemberScope,
    body: CreateEventSourceRequest,
    request: Request,
  ): Promise<CreatedEventSourceResponse> {
    const { name, type, description = null, is_enabled: isEnabled } = body;
    const id = newId();
    return this.database.transaction(async (tx) => {
      const { organization } = await this.authorization.lockAndAuthorize(scope, tx);
      const limit = PLAN_LIMITS[organization.plan].sources;
      if (limit !== null && (await this.sources.countOf(scope, tx)) >= limit) throw new SourcePlanLimit();
      await this.sources.insert(scope, { id, name, type, description, isEnabled, createdBy: scope.userId }, tx);
      await this.hooks.create(scope, { id, type }, body, tx);
      await this.record(scope, id, 'created', { name, type, ...(isEnabled ? {} : { is_enabled: false }) }, tx);
      const key = await this.issuer.issue(scope, { name, scopes: ['events:write'], sourceId: id, expiresAt: null }, tx);
      return { ...this.response(scope, await this.found(scope, id, tx), request), key };
    });
  }

  async list(scope: ProjectMemberScope, request: Request): Promise<EventSourceResponse[]> {
    return (await this.reader.list(scope)).map((source) => this.response(scope, source, request));
  }

  async get(scope: ProjectMemberScope, id: string, request: Request): Promise<EventSourceResponse> {
    return this.response(scope, await this.found(scope, id), request);
  }

  /** Changes a source. An audit event is recorded only when something changes. */
  async change(
    scope: ProjectMemberScope,
    id: string,
    body: ChangeEventSourceRequest,
    request: Request,
  ): Promise<EventSourceResponse> {
    const answer = await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const source = await this.found(scope, id, tx);
      const switched = await this.withEnabled(scope, source, body.is_enabled ?? source.isEnabled, tx);
      const from = { name: source.name, type: source.type, description: source.description };
      const to = {
        name: body.name ?? from.name,
        type: body.type ?? from.type,
        description: body.description === undefined ? from.description : body.description,
      };
      const hook = await this.hooks.change(scope, { id, type: to.type, before: from.type }, body, tx);
      const isSame = to.name === from.name && to.type === from.type && to.description === from.description;
      if (isSame && Object.keys(hook).length === 0) return this.response(scope, switched, request);
      await this.sources.update(scope, id, to, tx);
      await this.record(scope, id, 'updated', { from, to, ...hook }, tx);
      return this.response(scope, await this.found(scope, id, tx), request);
    });
    if (body.is_enabled !== undefined) this.authenticator.forgetAll();
    return answer;
  }

  /** Enables or disables a source. When the source is in this state already, nothing is recorded. */
  async setEnabled(
    scope: ProjectMemberScope,
    id: string,
    isEnabled: boolean,
    request: Request,
  ): Promise<EventSourceResponse> {
    const answer = await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const source = await this.withEnabled(scope, await this.found(scope, id, tx), isEnabled, tx);
      return this.response(scope, source, request);
    });
    this.authenticator.forgetAll();
    return answer;
  }

  /**
   * Removes a source without events. A source that has ingested events stays, so that every event keeps the source it
   * names. The first event of a source waits for the lock.
   */
  async remove(scope: ProjectMemberScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      await this.sources.lock(scope, id, tx);
      const { name, type } = await this.found(scope, id, tx);
      if (await this.sources.hasIngested(scope, id, tx)) throw new SourceHasEvents();
      await this.sources.remove(scope, id, tx);
      await this.record(scope, id, 'deleted', { name, type }, tx);
      await this.authenticator.announceChange(id, tx);
    });
    this.authenticator.forgetAll();
  }

  private async withEnabled(
    scope: ProjectMemberScope,
    source: SeenEventSource,
    isEnabled: boolean,
    tx: Db,
  ): Promise<SeenEventSource> {
    if (source.isEnabled === isEnabled) return source;
    await this.sources.update(scope, source.id, { isEnabled }, tx);
    await this.record(scope, source.id, isEnabled ? 'enabled' : 'disabled', { name: source.name }, tx);
    await this.authenticator.announceChange(source.id, tx);
    return { ...source, isEnabled };
  }

  private async found(scope: ProjectScope, id: string, tx?: Db): Promise<SeenEventSource> {
    const source = await this.reader.find(scope, id, tx);
    if (source === null) throw new EventSourceNotFound();
    return source;
  }

  private response(scope: ProjectMemberScope, source: SeenEventSource, request: Request): EventSourceResponse {
    return eventSourceResponse(scope, source, apiBaseOf(this.config.http.publicApiUrl, request));
  }

  private record(scope: ProjectMemberScope, id: string, what: string, detail: object, tx: Db): Promise<void> {
    const target = { type: 'event_source', id };
    return this.audit.record(projectAct(scope, `event_source.${what}`, { ...detail }, target), tx);
  }
}
