import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, type CheckedRequest, IdParam, RawRequest, Scope } from '../../../../platform/http/inputs.js';
import {
  ChangeConnectionRequest,
  CreateConnectionRequest,
  SsoConnectionResponse,
  SsoRefusalResponse,
} from './connections.dto.js';
import { SsoConnectionsService } from './connections.service.js';
import { ClientSecretsUnavailable, ConnectionNotFound, TooManyConnections } from './sso-settings.errors.js';

/** The identity providers that an organization has connected. */
@ApiTags('sso')
@Controller('sso/organizations/:organization_id/connections')
export class SsoConnectionsController {
  constructor(private readonly connections: SsoConnectionsService) {}

  @Get()
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'listSsoConnections',
    summary: 'Connections of an organization',
    description: 'Oldest first, without client secrets.',
    answer: [SsoConnectionResponse],
  })
  list(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @RawRequest() request: CheckedRequest,
  ): Promise<SsoConnectionResponse[]> {
    return this.connections.list(scope, request);
  }

  @Post()
  @Requires({ organization: 'owner' })
  @Documented({
    operationId: 'createSsoConnection',
    summary: 'Connect an identity provider',
    description:
      'OpenID Connect takes `issuer` and `client_id`, SAML `metadata_xml` or `entity_id`, `sign_in_url` and `certificates`. An organization has up to 10 connections. A connection only signs in people whose address has a verified domain.',
    status: 201,
    answer: SsoConnectionResponse,
    errors: [TooManyConnections, ClientSecretsUnavailable],
  })
  create(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @Body() body: CreateConnectionRequest,
    @RawRequest() request: CheckedRequest,
  ): Promise<SsoConnectionResponse> {
    return this.connections.create(scope, body, request);
  }

  @Get(':connection_id')
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'getSsoConnection',
    summary: 'One connection',
    description: 'With the addresses that the identity provider must be told. The client secret is in no answer.',
    answer: SsoConnectionResponse,
    errors: [ConnectionNotFound],
  })
  get(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @IdParam('connection_id') id: string,
    @RawRequest() request: CheckedRequest,
  ): Promise<SsoConnectionResponse> {
    return this.connections.get(scope, id, request);
  }

  @Get(':connection_id/refusals')
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'listSsoRefusals',
    summary: 'Refused sign-ins of a connection',
    description: 'The newest 50 of the last 30 days, newest first. An hour adds at most 200.',
    answer: [SsoRefusalResponse],
    errors: [ConnectionNotFound],
  })
  refusals(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @IdParam('connection_id') id: string,
  ): Promise<SsoRefusalResponse[]> {
    return this.connections.refusalsOf(scope, id);
  }

  @Patch(':connection_id')
  @Requires({ organization: 'owner' })
  @Documented({
    operationId: 'updateSsoConnection',
    summary: 'Change a connection',
    description:
      'Members that are left out stay. With another `issuer` or `entity_id`, the people of the connection link their accounts again at their next sign-in.',
    answer: SsoConnectionResponse,
    errors: [ConnectionNotFound, ClientSecretsUnavailable],
  })
  change(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @IdParam('connection_id') id: string,
    @Body() body: ChangeConnectionRequest,
    @RawRequest() request: CheckedRequest,
  ): Promise<SsoConnectionResponse> {
    return this.connections.change(scope, id, body, request);
  }

  @Delete(':connection_id')
  @Requires({ organization: 'owner' })
  @Documented({
    operationId: 'deleteSsoConnection',
    summary: 'Delete a connection',
    description: 'Nobody signs in with it any more. Accounts, memberships and open sessions stay.',
    status: 204,
    errors: [ConnectionNotFound],
  })
  delete(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @IdParam('connection_id') id: string,
  ): Promise<void> {
    return this.connections.delete(scope, id);
  }
}
