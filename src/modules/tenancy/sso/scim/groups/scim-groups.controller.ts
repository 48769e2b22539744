import { Controller, Delete, Get, Patch, Post, Put, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Scim, type ScimScope } from '../../../../access/index.js';
import { Documented } from '../../../../../platform/http/documented.js';
import {
  BodyBytes,
  type CheckedRequest,
  Query,
  RawRequest,
  Scope,
  TextParam,
} from '../../../../../platform/http/inputs.js';
import { sendEmpty, sendScim } from '../protocol/scim-answer.js';
import { MAX_BODY_BYTES, MAX_GROUP_BYTES, SCIM_ERRORS, scimAnswer, scimBody } from '../protocol/scim-document.js';
import { ScimExchange } from '../protocol/scim-exchange.js';
import { ScimConflict, ScimRequestRefused, ScimResourceNotFound, ScimVersionDiffers } from '../protocol/scim-fault.js';
import { type ListRequest, listResponse, readListQuery, readSearch } from '../queries/list-request.js';
import { type Projection, readProjection } from '../queries/projection.js';
import { ScimListQuery, ScimProjectionQuery } from '../queries/scim.dto.js';
import { etagOfGroup, groupResource } from './group-resource.js';
import { ScimGroupsService, TooManyScimGroups, type ShownGroup } from './scim-groups.service.js';

const ID = { min: 1, max: 200 };
const GROUP = scimBody('A group of SCIM', MAX_GROUP_BYTES);
const ANSWER = scimAnswer('A group of SCIM');
const LIST = scimAnswer('A list of groups of SCIM');
const READ_ERRORS = [ScimRequestRefused, ScimResourceNotFound];
const CHANGE_ERRORS = [...READ_ERRORS, ScimConflict, ScimVersionDiffers];
const errorForm = SCIM_ERRORS;

@ApiTags('scim')
@Controller('scim/v2/Groups')
export class ScimGroupsController {
  constructor(
    private readonly groups: ScimGroupsService,
    private readonly exchange: ScimExchange,
  ) {}

  @Get()
  @Scim()
  @Documented({
    operationId: 'listScimGroups',
    summary: 'Groups of an identity provider',
    description: 'Oldest first. A page ends early when its groups have more than 20,000 members together.',
    answer: LIST,
    errors: [ScimRequestRefused],
    errorForm,
  })
  async list(
    @Scope() scope: ScimScope,
    @Query() query: ScimListQuery,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendList(scope, readListQuery(query), request, response);
  }

  @Post('.search')
  @Scim()
  @Documented({
    operationId: 'searchScimGroups',
    summary: 'Search groups of an identity provider',
    description: 'As the list, with the query in the body.',
    answer: LIST,
    errors: [ScimRequestRefused],
    errorForm,
  })
  async search(
    @Scope() scope: ScimScope,
    @BodyBytes(scimBody('A search of SCIM', MAX_BODY_BYTES)) bytes: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendList(scope, readSearch(this.exchange.jsonOf(bytes)), request, response);
  }

  @Get(':id')
  @Scim()
  @ApiResponse({ status: 304, description: 'The client has this version' })
  @Documented({
    operationId: 'getScimGroup',
    summary: 'A group of an identity provider',
    description: 'A group with its members, unless the query leaves the members out.',
    answer: ANSWER,
    errors: READ_ERRORS,
    errorForm,
  })
  async get(
    @Scope() scope: ScimScope,
    @TextParam('id', ID) id: string,
    @Query() query: ScimProjectionQuery,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const projection = projectionOf(query);
    const shown = await this.groups.get(scope, id, projection);
    this.exchange.sendRead(response, request, this.resource(shown, request, projection), etagOfGroup(shown.group));
  }

  @Post()
  @Scim()
  @Documented({
    operationId: 'createScimGroup',
    summary: 'Make a group',
    description: 'With up to 10,000 members, who are users of the provider, in up to 5 MiB.',
    status: 201,
    answer: ANSWER,
    errors: [ScimRequestRefused, ScimConflict, TooManyScimGroups],
    errorForm,
  })
  async create(
    @Scope() scope: ScimScope,
    @Query() query: ScimProjectionQuery,
    @BodyBytes(GROUP) bytes: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const id = await this.groups.create(scope, this.exchange.jsonOf(bytes));
    await this.sendGroup(scope, { id, status: 201, projection: projectionOf(query) }, request, response);
  }

  @Put(':id')
  @Scim()
  @Documented({
    operationId: 'replaceScimGroup',
    summary: 'Replace a group',
    description: 'A body without members makes the group empty.',
    answer: ANSWER,
    errors: CHANGE_ERRORS,
    errorForm,
  })
  async replace(
    @Scope() scope: ScimScope,
    @TextParam('id', ID) id: string,
    @Query() query: ScimProjectionQuery,
    @BodyBytes(GROUP) bytes: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.groups.replace(scope, id, this.exchange.jsonOf(bytes), this.exchange.conditionsOf(request));
    await this.sendGroup(scope, { id, status: 200, projection: projectionOf(query) }, request, response);
  }

  @Patch(':id')
  @Scim()
  @ApiResponse({ status: 204, description: 'Done, no body' })
  @Documented({
    operationId: 'patchScimGroup',
    summary: 'Change a group',
    description:
      'Operations `add`, `replace` and `remove`, all or none of them. The answer is 204, or the group where the query has `attributes`.',
    answer: ANSWER,
    errors: CHANGE_ERRORS,
    errorForm,
  })
  async patch(
    @Scope() scope: ScimScope,
    @TextParam('id', ID) id: string,
    @Query() query: ScimProjectionQuery,
    @BodyBytes(scimBody('Operations of SCIM', MAX_GROUP_BYTES)) bytes: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.groups.patch(scope, id, this.exchange.jsonOf(bytes), this.exchange.conditionsOf(request));
    const projection = projectionOf(query);
    if (projection.attributes === null) sendEmpty(response, 204);
    else await this.sendGroup(scope, { id, status: 200, projection }, request, response);
  }

  @Delete(':id')
  @Scim()
  @Documented({
    operationId: 'deleteScimGroup',
    summary: 'Remove a group',
    description: 'Its members stay users. Their roles follow the groups that they still have.',
    status: 204,
    errors: [ScimResourceNotFound, ScimVersionDiffers],
    errorForm,
  })
  async remove(
    @Scope() scope: ScimScope,
    @TextParam('id', ID) id: string,
    @RawRequest() request: CheckedRequest,
  ): Promise<void> {
    await this.groups.remove(scope, id, this.exchange.conditionsOf(request));
  }

  private async sendList(
    scope: ScimScope,
    list: ListRequest,
    request: CheckedRequest,
    response: Response,
  ): Promise<void> {
    const { groups, ...page } = await this.groups.list(scope, list);
    const resources = groups.map((shown) => this.resource(shown, request, list.projection));
    sendScim(response, { status: 200, body: listResponse({ ...page, resources }) });
  }

  private async sendGroup(
    scope: ScimScope,
    { id, status, projection }: { readonly id: string; readonly status: number; readonly projection: Projection },
    request: CheckedRequest,
    response: Response,
  ): Promise<void> {
    const shown = await this.groups.get(scope, id, projection);
    const location = `${this.exchange.baseOf(request)}/Groups/${shown.group.id}`;
    const body = this.resource(shown, request, projection);
    sendScim(response, { status, body, etag: etagOfGroup(shown.group), location });
  }

  private resource({ group, members }: ShownGroup, request: CheckedRequest, projection: Projection): object {
    return groupResource(group, members, this.exchange.baseOf(request), projection);
  }
}

function projectionOf({ attributes, excludedAttributes }: ScimProjectionQuery): Projection {
  return readProjection(attributes, excludedAttributes);
}
