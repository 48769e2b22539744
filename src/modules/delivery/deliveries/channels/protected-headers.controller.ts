import { Controller, Delete, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { InsufficientProjectRole, type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Query, Scope, TextParam } from '../../../../platform/http/inputs.js';
import {
  ChannelNotFound,
  DuplicateProtectedHeader,
  ProtectedHeaderNotFound,
  ProtectedHeadersUnavailable,
} from '../delivery.errors.js';
import { ChannelOfProject } from './channels.repository.js';
import {
  ProjectOfDeliveryQuery,
  ProtectedHeaderRequest,
  ProtectedHeaderResponse,
  RemovedProtectedHeaderResponse,
  RotateProtectedHeaderRequest,
} from './channels.dto.js';
import { ProtectedHeadersService } from './protected-headers.service.js';

const NAME = { min: 1, max: 80 };

@ApiTags('delivery')
@Controller('v1/delivery/channels/:channel_id/protected-headers')
export class ProtectedHeadersController {
  constructor(private readonly headers: ProtectedHeadersService) {}

  @Post()
  @Requires({ capability: 'delivery:manage_channels', thing: ChannelOfProject })
  @Documented({
    operationId: 'createProtectedHeader',
    summary: 'Add a protected header',
    description:
      'The value is encrypted and never answered. Names are compared in any case. `{{secret:NAME}}` in the value becomes the present value of the secret at each try; admins alone set such a value.',
    status: 201,
    answer: ProtectedHeaderResponse,
    errors: [InsufficientProjectRole, ChannelNotFound, DuplicateProtectedHeader, ProtectedHeadersUnavailable],
  })
  add(
    @Scope() scope: ProjectMemberScope,
    @IdParam('channel_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
    @Body() body: ProtectedHeaderRequest,
  ): Promise<ProtectedHeaderResponse> {
    return this.headers.add(scope, id, body);
  }

  @Patch(':header_name')
  @Requires({ capability: 'delivery:manage_channels', thing: ChannelOfProject })
  @Documented({
    operationId: 'rotateProtectedHeader',
    summary: 'Rotate a protected header',
    description:
      'Encrypts with the present key; sends from now on carry the new value. Where the old or the new one names a secret, admins alone do so.',
    answer: ProtectedHeaderResponse,
    errors: [InsufficientProjectRole, ChannelNotFound, ProtectedHeaderNotFound, ProtectedHeadersUnavailable],
  })
  rotate(
    @Scope() scope: ProjectMemberScope,
    @IdParam('channel_id') id: string,
    @TextParam('header_name', NAME) name: string,
    @Query() _query: ProjectOfDeliveryQuery,
    @Body() body: RotateProtectedHeaderRequest,
  ): Promise<ProtectedHeaderResponse> {
    return this.headers.rotate(scope, id, name, body.value);
  }

  @Delete(':header_name')
  @Requires({ capability: 'delivery:manage_channels', thing: ChannelOfProject })
  @Documented({
    operationId: 'deleteProtectedHeader',
    summary: 'Remove a protected header',
    description: 'Answers the name, never the value.',
    answer: RemovedProtectedHeaderResponse,
    errors: [ChannelNotFound, ProtectedHeaderNotFound],
  })
  remove(
    @Scope() scope: ProjectMemberScope,
    @IdParam('channel_id') id: string,
    @TextParam('header_name', NAME) name: string,
    @Query() _query: ProjectOfDeliveryQuery,
  ): Promise<RemovedProtectedHeaderResponse> {
    return this.headers.remove(scope, id, name);
  }
}
