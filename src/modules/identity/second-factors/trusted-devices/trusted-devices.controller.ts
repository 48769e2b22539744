import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, type UserScope } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { IdParam, Scope } from '../../../../platform/http/inputs.js';
import { MessageResponse } from '../../../../platform/http/message.dto.js';
import { CallingClient, type Client } from '../../sessions/index.js';
import { TrustedDeviceNotFound } from '../second-factors.errors.js';
import { TrustedDevicesService } from './trusted-devices.service.js';
import { TrustedDeviceResponse } from './trusted-devices.dto.js';

@ApiTags('account')
@Controller('v1/account/trusted-devices')
export class TrustedDevicesController {
  constructor(private readonly devices: TrustedDevicesService) {}

  @Get()
  @Requires()
  @Documented({
    operationId: 'listTrustedDevices',
    summary: 'List trusted devices',
    description: 'Devices on which sign-in asks for no second factor.',
    answer: [TrustedDeviceResponse],
  })
  list(@Scope() scope: UserScope): Promise<TrustedDeviceResponse[]> {
    return this.devices.list(scope);
  }

  @Post(':device_id/revoke')
  @Requires()
  @Documented({
    operationId: 'revokeTrustedDevice',
    summary: 'Revoke a trusted device',
    description: 'The next sign-in there asks for a second factor again.',
    answer: MessageResponse,
    errors: [TrustedDeviceNotFound],
  })
  async revoke(
    @Scope() scope: UserScope,
    @IdParam('device_id') id: string,
    @CallingClient() client: Client,
  ): Promise<MessageResponse> {
    await this.devices.revoke(scope, id, client);
    return { message: 'The device is no longer trusted' };
  }
}
