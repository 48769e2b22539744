import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import { ChannelNotFound, ProtectedHeadersUnavailable, SigningUnavailable } from '../delivery.errors.js';
import { ChannelOfProject } from '../channels/channels.repository.js';
import { ChannelTestResponse } from './channel-test.dto.js';
import { ChannelTestService } from './channel-test.service.js';
import { ProjectOfDeliveryQuery } from '../channels/channels.dto.js';

@ApiTags('delivery')
@Controller('v1/delivery/channels/:channel_id/test')
export class ChannelTestController {
  constructor(private readonly tests: ChannelTestService) {}

  @Post()
  @Requires({ capability: 'delivery:manage_channels', thing: ChannelOfProject })
  @Documented({
    operationId: 'testDeliveryChannel',
    summary: 'Send a test notification',
    description: 'Waits for the result and answers 200 also when the receiver did not take it. Never retried.',
    answer: ChannelTestResponse,
    errors: [ChannelNotFound, ProtectedHeadersUnavailable, SigningUnavailable],
  })
  test(
    @Scope() scope: ProjectMemberScope,
    @IdParam('channel_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
  ): Promise<ChannelTestResponse> {
    return this.tests.test(scope, id);
  }
}
