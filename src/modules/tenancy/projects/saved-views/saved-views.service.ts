import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct } from '../project-act.js';
import { ProjectAuthorization } from '../project.authorization.js';
import { assertDashboard } from './dashboard-filters.js';
import type { SavedView } from './saved-view.entity.js';
import {
  type ChangeSavedViewRequest,
  type CreateSavedViewRequest,
  savedViewResponse,
  type SavedViewResponse,
  type SavedViewsQuery,
} from './saved-views.dto.js';
import { SavedViewChanged, SavedViewNotFound, SavedViewsTooLarge, TooManySavedViews } from './saved-views.errors.js';
import { SavedViewsRepository } from './saved-views.repository.js';

/** Maximum number of views in a project, because the list of views has no pages. */
const MAX_VIEWS = 200;
/** Maximum number of bytes in the filters of all views of a project, because the list contains all filters. */
const MAX_BYTES_OF_PROJECT = 4 * 1024 * 1024;

/**
 * Manages saved views. They belong to the project: a member who may create views may also change and delete all of
 * them.
 */
@Injectable()
export class SavedViewsService {
  constructor(
    private readonly database: Database,
    private readonly views: SavedViewsRepository,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
  ) {}

  async list(scope: ProjectScope, { kind }: SavedViewsQuery): Promise<SavedViewResponse[]> {
    return (await this.views.list(scope, kind)).map(savedViewResponse);
  }

  async create(scope: ProjectMemberScope, request: CreateSavedViewRequest): Promise<SavedViewResponse> {
    const { name, kind, filters } = request;
    if (kind === 'dashboard') assertDashboard(filters);
    const id = newId();
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      if ((await this.views.countOf(scope, tx)) >= MAX_VIEWS) throw new TooManySavedViews();
      await this.withinLimit(scope, tx, () =>
        this.views.insert(scope, { id, name, kind, filters, createdBy: scope.userId }, tx),
      );
      await this.record(scope, 'saved_view.created', { id, name }, tx);
      return savedViewResponse(await this.get(scope, id, tx));
    });
  }

  async change(scope: ProjectMemberScope, id: string, request: ChangeSavedViewRequest): Promise<SavedViewResponse> {
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const view = await this.get(scope, id, tx);
      // `updated_at` has milliseconds here, because the driver drops microseconds. Clients see the same value.
      const { if_updated_at: known = view.updatedAt } = request;
      if (known.getTime() !== view.updatedAt.getTime()) throw new SavedViewChanged();
      if (request.kind !== undefined && request.kind !== view.kind) {
        throw brokenRule(['body', 'kind'], 'the kind of a saved view cannot be changed', request.kind);
      }
      if (request.name === undefined && request.filters === undefined) return savedViewResponse(view);
      if (request.filters !== undefined && view.kind === 'dashboard') assertDashboard(request.filters);
      const { name = view.name, filters = view.filters } = request;
      await this.withinLimit(scope, tx, () => this.views.update(scope, { id, name, filters }, tx));
      await this.record(scope, 'saved_view.updated', { id, name }, tx);
      return savedViewResponse(await this.get(scope, id, tx));
    });
  }

  async remove(scope: ProjectMemberScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const { name } = await this.get(scope, id, tx);
      await this.views.remove(scope, id, tx);
      await this.record(scope, 'saved_view.deleted', { id, name }, tx);
    });
  }

  /**
   * Runs a write, and refuses it when the views of the project then exceed their limit and have become larger. When the
   * limit was already exceeded before, views can still be made smaller. The lock of the project excludes other writes.
   */
  private async withinLimit(scope: ProjectScope, tx: Db, write: () => Promise<void>): Promise<void> {
    const before = await this.views.bytesOf(scope, tx);
    await write();
    const after = await this.views.bytesOf(scope, tx);
    if (after > MAX_BYTES_OF_PROJECT && after > before) throw new SavedViewsTooLarge();
  }

  private async get(scope: ProjectScope, id: string, tx: Db): Promise<SavedView> {
    const view = await this.views.find(scope, id, tx);
    if (view === null) throw new SavedViewNotFound();
    return view;
  }

  private record(
    scope: ProjectMemberScope,
    action: string,
    { id, name }: Pick<SavedView, 'id' | 'name'>,
    tx: Db,
  ): Promise<void> {
    return this.audit.record(projectAct(scope, action, { name }, { type: 'saved_view', id }), tx);
  }
}
