import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { InsufficientProjectRole, type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import {
  ChannelHasEvidence,
  ChannelNotFound,
  DuplicateProtectedHeader,
  ProtectedHeadersUnavailable,
  SigningUnavailable,
  TooManyChannels,
} from '../delivery.errors.js';
import { ChannelOfProject } from './channels.repository.js';
import { ChannelResponse, CreateChannelRequest, ProjectOfDeliveryQuery, UpdateChannelRequest } from './channels.dto.js';
import { ChannelsService } from './channels.service.js';

@ApiTags('delivery')
@Controller('v1/delivery/channels')
export class ChannelsController {
  constructor(private readonly channels: ChannelsService) {}

  @Get()
  @Requires({ capability: 'delivery:read' })
  @Documented({
    operationId: 'listDeliveryChannels',
    summary: 'Channels of a project',
    description: 'Newest first.',
    answer: [ChannelResponse],
  })
  list(@Scope() scope: ProjectMemberScope, @Query() _query: ProjectOfDeliveryQuery): Promise<ChannelResponse[]> {
    return this.channels.list(scope);
  }

  @Post()
  @Requires({ capability: 'delivery:manage_channels' })
  @Documented({
    operationId: 'createDeliveryChannel',
    summary: 'Create a channel',
    description:
      'Addresses that are not public are refused; a host name that cannot be found yet is taken. The answer shows the signing secret of a webhook, once; while credential encryption is switched off none is made. A template or a protected header that names a secret needs the role admin.',
    status: 201,
    answer: ChannelResponse,
    errors: [InsufficientProjectRole, TooManyChannels, DuplicateProtectedHeader, ProtectedHeadersUnavailable],
  })
  create(@Scope() scope: ProjectMemberScope, @Body() body: CreateChannelRequest): Promise<ChannelResponse> {
    return this.channels.create(scope, body);
  }

  @Patch(':channel_id')
  @Requires({ capability: 'delivery:manage_channels', thing: ChannelOfProject })
  @Documented({
    operationId: 'updateDeliveryChannel',
    summary: 'Update a channel',
    description:
      'A configuration is replaced whole; attempts that wait go by the new one. Where a protected header or the template names a secret, admins alone change it and the address.',
    answer: ChannelResponse,
    errors: [
      InsufficientProjectRole,
      ChannelNotFound,
      DuplicateProtectedHeader,
      ProtectedHeadersUnavailable,
      SigningUnavailable,
    ],
  })
  update(
    @Scope() scope: ProjectMemberScope,
    @IdParam('channel_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
    @Body() body: UpdateChannelRequest,
  ): Promise<ChannelResponse> {
    return this.channels.update(scope, id, body);
  }

  @Delete(':channel_id')
  @Requires({ capability: 'delivery:manage_channels', thing: ChannelOfProject })
  @Documented({
    operationId: 'deleteDeliveryChannel',
    summary: 'Delete (409 while evidence exists)',
    description: 'Its protected headers go with it. One that any attempt refers to stays: disable it instead.',
    status: 204,
    errors: [ChannelNotFound, ChannelHasEvidence],
  })
  delete(
    @Scope() scope: ProjectMemberScope,
    @IdParam('channel_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
  ): Promise<void> {
    return this.channels.delete(scope, id);
  }
}
