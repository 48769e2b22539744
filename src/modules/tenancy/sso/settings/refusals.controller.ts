import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { IdParam, Scope } from '../../../../platform/http/inputs.js';
import { ConnectionNotFound } from './sso-settings.errors.js';
import { SsoRefusalResponse } from './refusals.dto.js';
import { SsoRefusalsRepository } from '../sso-refusals.repository.js';

@ApiTags('sso')
@Controller('sso/organizations/:organization_id/connections')
export class SsoRefusalsController {
  constructor(private readonly refusals: SsoRefusalsRepository) {}

  @Get(':connection_id/refusals')
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'listSsoRefusals',
    summary: 'Refused sign-ins of a connection',
    description: 'The 50 newest of the last 30 days, newest first, each with the reason.',
    answer: [SsoRefusalResponse],
    errors: [ConnectionNotFound],
  })
  async list(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @IdParam('connection_id') connectionId: string,
  ): Promise<SsoRefusalResponse[]> {
    const refusals = await this.refusals.newest(scope, connectionId);
    if (refusals === null) throw new ConnectionNotFound();
    return refusals.map(({ at, reason, ip }) => ({ created_at: at.toISOString(), reason, ip }));
  }
}
