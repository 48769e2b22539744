import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { IdParam } from '../../../platform/http/inputs.js';
import { InvitedToRead } from './invitation-access.js';
import { InvitationAnswersService } from './invitation-answers.service.js';
import { ReceivedInvitationResponse } from './invitations.dto.js';
import { InvitationNotFound, InvitationOfAnother } from './invitations.errors.js';

/** This route is not below `/v1`, because it is used only by the pages that the link in the e-mail opens. */
@ApiTags('invitations')
@Controller('invitations')
export class ReceivedInvitationController {
  constructor(private readonly answers: InvitationAnswersService) {}

  @Get(':invite_id')
  @Requires({ addressee: InvitedToRead })
  @Documented({
    operationId: 'getReceivedInvitation',
    summary: 'An invitation, for the invited person',
    description: 'For the account whose verified address is the invited one.',
    answer: ReceivedInvitationResponse,
    errors: [InvitationNotFound, InvitationOfAnother],
  })
  get(@IdParam('invite_id') id: string): Promise<ReceivedInvitationResponse> {
    return this.answers.describe(id);
  }
}
