import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import {
  DestinationCredentialsUnavailable,
  DestinationNotFound,
  DestinationTestFailed,
  TooManyDestinations,
} from '../destinations.errors.js';
import { DestinationTestService } from './destination-test.service.js';
import {
  CreateDestinationRequest,
  DestinationResponse,
  DestinationTestResponse,
  ProjectOfDestinationsQuery,
  UpdateDestinationRequest,
} from './destinations.dto.js';
import { DestinationsService } from './destinations.service.js';
import { ProjectOfDestination } from './destinations.repository.js';

@ApiTags('alert-destinations')
@Controller('v1/alert-destinations')
export class DestinationsController {
  constructor(
    private readonly destinations: DestinationsService,
    private readonly tests: DestinationTestService,
  ) {}

  @Get()
  @Requires({ project: 'viewer', orSelected: true })
  @Documented({
    operationId: 'listAlertDestinations',
    summary: 'Destinations',
    description: 'Newest first. Roles below operator read `target_url` as its origin and `/***`.',
    answer: [DestinationResponse],
  })
  list(
    @Scope() scope: ProjectMemberScope,
    @Query() _query: ProjectOfDestinationsQuery,
  ): Promise<DestinationResponse[]> {
    return this.destinations.list(scope);
  }

  @Post()
  @Requires({ project: 'operator', orSelected: true })
  @Documented({
    operationId: 'createAlertDestination',
    summary: 'Create',
    description:
      'Addresses that are not public are refused; a host name that cannot be found yet is taken. Secrets and Slack addresses are stored encrypted. A template that names a secret needs the role admin.',
    status: 201,
    answer: DestinationResponse,
    errors: [TooManyDestinations, DestinationCredentialsUnavailable],
  })
  create(
    @Scope() scope: ProjectMemberScope,
    @Query() _query: ProjectOfDestinationsQuery,
    @Body() body: CreateDestinationRequest,
  ): Promise<DestinationResponse> {
    return this.destinations.create(scope, body);
  }

  @Patch(':destination_id')
  @Requires({ project: 'operator', via: ProjectOfDestination })
  @Documented({
    operationId: 'updateAlertDestination',
    summary: 'Update',
    description:
      'Deliveries that wait go to the new address, signed by the new secret and for 24 hours by the one before. Where the old or the new template names a secret, admins alone change the template and the address.',
    answer: DestinationResponse,
    errors: [DestinationNotFound, DestinationCredentialsUnavailable],
  })
  update(
    @Scope() scope: ProjectMemberScope,
    @IdParam('destination_id') id: string,
    @Body() body: UpdateDestinationRequest,
  ): Promise<DestinationResponse> {
    return this.destinations.update(scope, id, body);
  }

  @Delete(':destination_id')
  @Requires({ project: 'operator', via: ProjectOfDestination })
  @Documented({
    operationId: 'deleteAlertDestination',
    summary: 'Delete',
    description: 'Its deliveries stay as evidence; those not sent yet end as failed (`destination_deleted`).',
    status: 204,
    errors: [DestinationNotFound],
  })
  delete(@Scope() scope: ProjectMemberScope, @IdParam('destination_id') id: string): Promise<void> {
    return this.destinations.delete(scope, id);
  }

  @Post(':destination_id/enable')
  @Requires({ project: 'operator', via: ProjectOfDestination })
  @Documented({
    operationId: 'enableAlertDestination',
    summary: 'Enable',
    description: 'Enabling again answers the same.',
    answer: DestinationResponse,
    errors: [DestinationNotFound],
  })
  enable(@Scope() scope: ProjectMemberScope, @IdParam('destination_id') id: string): Promise<DestinationResponse> {
    return this.destinations.setEnabled(scope, id, true);
  }

  @Post(':destination_id/disable')
  @Requires({ project: 'operator', via: ProjectOfDestination })
  @Documented({
    operationId: 'disableAlertDestination',
    summary: 'Disable',
    description:
      'Takes no part in alerts raised from now on; deliveries that wait fail (`destination_disabled`) and can be retried later. Disabling again answers the same.',
    answer: DestinationResponse,
    errors: [DestinationNotFound],
  })
  disable(@Scope() scope: ProjectMemberScope, @IdParam('destination_id') id: string): Promise<DestinationResponse> {
    return this.destinations.setEnabled(scope, id, false);
  }

  @Post(':destination_id/test')
  @Requires({ project: 'operator', via: ProjectOfDestination })
  @Documented({
    operationId: 'testAlertDestination',
    summary: 'Send a test',
    description:
      'Waits for the answer, 10 seconds at most; enabled or not. Never retried and no part of the deliveries.',
    answer: DestinationTestResponse,
    errors: [DestinationNotFound, DestinationTestFailed, DestinationCredentialsUnavailable],
  })
  test(@Scope() scope: ProjectMemberScope, @IdParam('destination_id') id: string): Promise<DestinationTestResponse> {
    return this.tests.test(scope, id);
  }
}
