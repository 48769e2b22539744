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
import { sendScim } from '../protocol/scim-answer.js';
import { MAX_BODY_BYTES, SCIM_ERRORS, scimAnswer, scimBody } from '../protocol/scim-document.js';
import { ScimExchange } from '../protocol/scim-exchange.js';
import {
  OwnerKeepsMembership,
  ScimConflict,
  ScimRequestRefused,
  ScimResourceNotFound,
  ScimVersionDiffers,
} from '../protocol/scim-fault.js';
import { type ListRequest, listResponse, readListQuery, readSearch } from '../queries/list-request.js';
import { type Projection, readProjection } from '../queries/projection.js';
import { ScimListQuery, ScimProjectionQuery } from '../queries/scim.dto.js';
import { ScimUsersService, type ShownUser } from './scim-users.service.js';
import { etagOfUser, userResource } from './user-resource.js';

const ID = { min: 1, max: 200 };
const USER = scimBody('A user of SCIM', MAX_BODY_BYTES);
const ANSWER = scimAnswer('A user of SCIM');
const LIST = scimAnswer('A list of users of SCIM');
const READ_ERRORS = [ScimRequestRefused, ScimResourceNotFound];
const CHANGE_ERRORS = [...READ_ERRORS, ScimConflict, OwnerKeepsMembership, ScimVersionDiffers];
const errorForm = SCIM_ERRORS;

@ApiTags('scim')
@Controller('scim/v2/Users')
export class ScimUsersController {
  constructor(
    private readonly users: ScimUsersService,
    private readonly exchange: ScimExchange,
  ) {}

  @Get()
  @Scim()
  @Documented({
    operationId: 'listScimUsers',
    summary: 'Users of an identity provider',
    description: 'The users that the provider has made, oldest first. Others of the organization are not listed.',
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
    operationId: 'searchScimUsers',
    summary: 'Search users of an identity provider',
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
    operationId: 'getScimUser',
    summary: 'A user of an identity provider',
    description: 'A user that the provider has made. Others of the organization are not found.',
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
    const shown = await this.users.get(scope, id, projection);
    this.exchange.sendRead(response, request, this.resource(shown, request, projection), etagOfUser(shown.user));
  }

  @Post()
  @Scim()
  @Documented({
    operationId: 'createScimUser',
    summary: 'Make a user',
    description:
      '`userName` is the address, whose domain the organization has verified. Makes the account, verified and without a password, where there is none, and the membership while `active` is not false. Up to 1 MiB.',
    status: 201,
    answer: ANSWER,
    errors: [ScimRequestRefused, ScimConflict, OwnerKeepsMembership],
    errorForm,
  })
  async create(
    @Scope() scope: ScimScope,
    @Query() query: ScimProjectionQuery,
    @BodyBytes(USER) bytes: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const id = await this.users.create(scope, this.exchange.jsonOf(bytes));
    await this.sendUser(scope, { id, status: 201, projection: projectionOf(query) }, request, response);
  }

  @Put(':id')
  @Scim()
  @Documented({
    operationId: 'replaceScimUser',
    summary: 'Replace a user',
    description:
      '`active` false ends the membership and every session of the person at once. Without `active` the state stays.',
    answer: ANSWER,
    errors: CHANGE_ERRORS,
    errorForm,
  })
  async replace(
    @Scope() scope: ScimScope,
    @TextParam('id', ID) id: string,
    @Query() query: ScimProjectionQuery,
    @BodyBytes(USER) bytes: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.users.replace(scope, id, this.exchange.jsonOf(bytes), this.exchange.conditionsOf(request));
    await this.sendUser(scope, { id, status: 200, projection: projectionOf(query) }, request, response);
  }

  @Patch(':id')
  @Scim()
  @Documented({
    operationId: 'patchScimUser',
    summary: 'Change a user',
    description: 'Up to 200 operations `add`, `replace` and `remove`, all or none of them.',
    answer: ANSWER,
    errors: CHANGE_ERRORS,
    errorForm,
  })
  async patch(
    @Scope() scope: ScimScope,
    @TextParam('id', ID) id: string,
    @Query() query: ScimProjectionQuery,
    @BodyBytes(scimBody('Operations of SCIM', MAX_BODY_BYTES)) bytes: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.users.patch(scope, id, this.exchange.jsonOf(bytes), this.exchange.conditionsOf(request));
    await this.sendUser(scope, { id, status: 200, projection: projectionOf(query) }, request, response);
  }

  @Delete(':id')
  @Scim()
  @Documented({
    operationId: 'deleteScimUser',
    summary: 'Remove a user',
    description: 'Ends the membership and every session of the person. The account stays.',
    status: 204,
    errors: [ScimResourceNotFound, OwnerKeepsMembership, ScimVersionDiffers],
    errorForm,
  })
  async remove(
    @Scope() scope: ScimScope,
    @TextParam('id', ID) id: string,
    @RawRequest() request: CheckedRequest,
  ): Promise<void> {
    await this.users.remove(scope, id, this.exchange.conditionsOf(request));
  }

  private async sendList(
    scope: ScimScope,
    list: ListRequest,
    request: CheckedRequest,
    response: Response,
  ): Promise<void> {
    const { users, ...page } = await this.users.list(scope, list);
    const resources = users.map((shown) => this.resource(shown, request, list.projection));
    sendScim(response, { status: 200, body: listResponse({ ...page, resources }) });
  }

  private async sendUser(
    scope: ScimScope,
    { id, status, projection }: { readonly id: string; readonly status: number; readonly projection: Projection },
    request: CheckedRequest,
    response: Response,
  ): Promise<void> {
    const shown = await this.users.get(scope, id, projection);
    const location = `${this.exchange.baseOf(request)}/Users/${shown.user.id}`;
    const body = this.resource(shown, request, projection);
    sendScim(response, { status, body, etag: etagOfUser(shown.user), location });
  }

  private resource({ user, groups }: ShownUser, request: CheckedRequest, projection: Projection): object {
    return userResource(user, groups, this.exchange.baseOf(request), projection);
  }
}

function projectionOf({ attributes, excludedAttributes }: ScimProjectionQuery): Projection {
  return readProjection(attributes, excludedAttributes);
}
