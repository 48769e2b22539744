import { Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, Requires } from '../../../../access/index.js';
import { Documented } from '../../../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../../../platform/http/inputs.js';
import { CreatedScimTokenResponse, CreateScimTokenRequest, ScimTokenResponse } from './scim-tokens.dto.js';
import { ScimTokenNotFound, ScimTokensService, TooManyScimTokens } from './scim-tokens.service.js';

@ApiTags('sso')
@Controller('sso/organizations/:organization_id/scim-tokens')
export class ScimTokensController {
  constructor(private readonly tokens: ScimTokensService) {}

  @Get()
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'listScimTokens',
    summary: 'Provisioning tokens of an organization',
    description: 'The valid ones, newest first. The token itself is never returned.',
    answer: [ScimTokenResponse],
  })
  list(@Scope() scope: OrganizationScope, @IdParam('organization_id') _id: string): Promise<ScimTokenResponse[]> {
    return this.tokens.list(scope);
  }

  @Post()
  @Requires({ organization: 'owner' })
  @Documented({
    operationId: 'createScimToken',
    summary: 'Create a provisioning token',
    description:
      'An identity provider sends it as a bearer token to `/scim/v2`. At most 10 are valid at once: to replace a token, create another one, store it at the provider, and delete the first.',
    status: 201,
    answer: CreatedScimTokenResponse,
    errors: [TooManyScimTokens],
  })
  create(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @Body() body: CreateScimTokenRequest,
  ): Promise<CreatedScimTokenResponse> {
    return this.tokens.create(scope, body);
  }

  @Delete(':token_id')
  @Requires({ organization: 'owner' })
  @Documented({
    operationId: 'deleteScimToken',
    summary: 'Revoke a provisioning token',
    description: 'The next request with the token is 401.',
    status: 204,
    errors: [ScimTokenNotFound],
  })
  revoke(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @IdParam('token_id') id: string,
  ): Promise<void> {
    return this.tokens.revoke(scope, id);
  }
}
