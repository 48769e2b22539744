import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import {
  ChangeSavedViewRequest,
  CreateSavedViewRequest,
  SavedViewResponse,
  SavedViewsQuery,
} from './saved-views.dto.js';
import {
  SavedViewChanged,
  SavedViewNameInUse,
  SavedViewNotFound,
  SavedViewsTooLarge,
  TooManySavedViews,
} from './saved-views.errors.js';
import { SavedViewsService } from './saved-views.service.js';

@ApiTags('projects')
@Controller('v1/projects/:project_id/saved-views')
export class SavedViewsController {
  constructor(private readonly views: SavedViewsService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listSavedViews',
    summary: 'Saved explorer views',
    description: 'Newest first, of all kinds unless `kind` is given. The members of the project share them.',
    answer: [SavedViewResponse],
  })
  list(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Query() query: SavedViewsQuery,
  ): Promise<SavedViewResponse[]> {
    return this.views.list(scope, query);
  }

  @Post()
  @Requires({ project: 'member' })
  @Documented({
    operationId: 'createSavedView',
    summary: 'Save a view',
    description:
      'The service keeps the filters as they are. It checks the form of a dashboard, and reads nothing else. The members of the project share it. All views of a project take 4 MiB at most.',
    status: 201,
    answer: SavedViewResponse,
    errors: [SavedViewNameInUse, TooManySavedViews, SavedViewsTooLarge],
  })
  create(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Body() body: CreateSavedViewRequest,
  ): Promise<SavedViewResponse> {
    return this.views.create(scope, body);
  }

  @Patch(':view_id')
  @Requires({ project: 'member' })
  @Documented({
    operationId: 'updateSavedView',
    summary: 'Change a view',
    description:
      'Fields that are left out stay as they are; `filters` is replaced whole. The last of several changes wins, unless a change has `if_updated_at`: then it is refused with 409 when the view has changed since.',
    answer: SavedViewResponse,
    errors: [SavedViewNotFound, SavedViewChanged, SavedViewNameInUse, SavedViewsTooLarge],
  })
  change(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @IdParam('view_id') viewId: string,
    @Body() body: ChangeSavedViewRequest,
  ): Promise<SavedViewResponse> {
    return this.views.change(scope, viewId, body);
  }

  @Delete(':view_id')
  @Requires({ project: 'member' })
  @Documented({
    operationId: 'deleteSavedView',
    summary: 'Remove a view (204)',
    description: 'It is gone for every member of the project.',
    status: 204,
    errors: [SavedViewNotFound],
  })
  remove(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @IdParam('view_id') viewId: string,
  ): Promise<void> {
    return this.views.remove(scope, viewId);
  }
}
