import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Scim } from '../../../../access/index.js';
import { Documented } from '../../../../../platform/http/documented.js';
import { type CheckedRequest, RawRequest, TextParam } from '../../../../../platform/http/inputs.js';
import { sendScim } from '../protocol/scim-answer.js';
import { SCIM_ERRORS, scimAnswer } from '../protocol/scim-document.js';
import { ScimExchange } from '../protocol/scim-exchange.js';
import { ScimResourceNotFound } from '../protocol/scim-fault.js';
import { listResponse } from '../queries/list-request.js';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery-resources.js';

const ID = { min: 1, max: 200 };
const errorForm = SCIM_ERRORS;

@ApiTags('scim')
@Controller('scim/v2')
export class ScimDiscoveryController {
  constructor(private readonly exchange: ScimExchange) {}

  @Get('ServiceProviderConfig')
  @Scim()
  @Documented({
    operationId: 'getScimServiceProviderConfig',
    summary: 'What SCIM can do here',
    description: 'Says which parts of SCIM the service has, and how a client signs in.',
    answer: scimAnswer('The configuration of SCIM'),
    errorForm,
  })
  config(@RawRequest() request: CheckedRequest, @Res() response: Response): void {
    sendScim(response, { status: 200, body: serviceProviderConfig(this.exchange.baseOf(request)) });
  }

  @Get('ResourceTypes')
  @Scim()
  @Documented({
    operationId: 'listScimResourceTypes',
    summary: 'Kinds of resources',
    description: 'The kinds of resources that a provider can keep here: users and groups.',
    answer: scimAnswer('A list of resource types of SCIM'),
    errorForm,
  })
  types(@RawRequest() request: CheckedRequest, @Res() response: Response): void {
    this.sendAll(resourceTypes(this.exchange.baseOf(request)), response);
  }

  @Get('ResourceTypes/:id')
  @Scim()
  @Documented({
    operationId: 'getScimResourceType',
    summary: 'A kind of resources',
    description: 'Names the path and the schema of the kind.',
    answer: scimAnswer('A resource type of SCIM'),
    errors: [ScimResourceNotFound],
    errorForm,
  })
  type(@TextParam('id', ID) id: string, @RawRequest() request: CheckedRequest, @Res() response: Response): void {
    this.sendOne(resourceTypes(this.exchange.baseOf(request)), id, response);
  }

  @Get('Schemas')
  @Scim()
  @Documented({
    operationId: 'listScimSchemas',
    summary: 'Attributes of users and groups',
    description: 'The attributes that the service keeps. It accepts others of the standard, and ignores them.',
    answer: scimAnswer('A list of schemas of SCIM'),
    errorForm,
  })
  schemas(@RawRequest() request: CheckedRequest, @Res() response: Response): void {
    this.sendAll(schemas(this.exchange.baseOf(request)), response);
  }

  @Get('Schemas/:id')
  @Scim()
  @Documented({
    operationId: 'getScimSchema',
    summary: 'Attributes of one kind of resources',
    description: 'The attributes that the service keeps of users or of groups.',
    answer: scimAnswer('A schema of SCIM'),
    errors: [ScimResourceNotFound],
    errorForm,
  })
  schema(@TextParam('id', ID) id: string, @RawRequest() request: CheckedRequest, @Res() response: Response): void {
    this.sendOne(schemas(this.exchange.baseOf(request)), id, response);
  }

  private sendAll(resources: readonly object[], response: Response): void {
    const body = listResponse({ total: resources.length, startIndex: 1, resources });
    sendScim(response, { status: 200, body });
  }

  private sendOne(resources: readonly object[], id: string, response: Response): void {
    const body = resources.find((resource) => 'id' in resource && resource.id === id);
    if (body === undefined) throw new ScimResourceNotFound();
    sendScim(response, { status: 200, body });
  }
}
