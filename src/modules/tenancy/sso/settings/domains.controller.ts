import { Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, Requires, type UserScope } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../../platform/http/inputs.js';
import { AddDomainRequest, SsoDomainResponse } from './domains.dto.js';
import { SsoDomainsService } from './domains.service.js';
import {
  DomainAlreadyAdded,
  DomainNotFound,
  DomainOfAnother,
  DomainRecordDiffers,
  DomainRecordMissing,
  DomainUnanswered,
  TooManyDomains,
} from './sso-settings.errors.js';

/** The domains of the e-mail addresses for which the connections of an organization may vouch. */
@ApiTags('sso')
@Controller('sso/organizations/:organization_id/domains')
export class SsoDomainsController {
  constructor(private readonly domains: SsoDomainsService) {}

  @Get()
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'listSsoDomains',
    summary: 'Domains of an organization',
    description: 'In the order of their names, verified or not.',
    answer: [SsoDomainResponse],
  })
  list(@Scope() scope: OrganizationScope, @IdParam('organization_id') _id: string): Promise<SsoDomainResponse[]> {
    return this.domains.list(scope);
  }

  @Post()
  @Requires({ organization: 'owner' })
  @Documented({
    operationId: 'addSsoDomain',
    summary: 'Claim a domain',
    description:
      'Answers the TXT record that verifies the domain. An organization has up to 20 domains. Public suffixes such as `co.uk` and domains of public mail services are refused.',
    status: 201,
    answer: SsoDomainResponse,
    errors: [DomainAlreadyAdded, DomainOfAnother, TooManyDomains],
  })
  add(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @Body() body: AddDomainRequest,
  ): Promise<SsoDomainResponse> {
    return this.domains.add(scope, body);
  }

  @Post(':domain_id/verify')
  @Requires({ organization: 'owner' })
  @Documented({
    operationId: 'verifySsoDomain',
    summary: 'Verify a domain',
    description:
      'Looks the TXT record up in DNS, for at most 5 seconds. Is refused with 503 while too many lookups wait. A domain can be verified for one organization only. A verified domain stays verified, and the record may then be removed.',
    answer: SsoDomainResponse,
    errors: [DomainNotFound, DomainRecordMissing, DomainRecordDiffers, DomainUnanswered, DomainOfAnother],
  })
  verify(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @IdParam('domain_id') id: string,
  ): Promise<SsoDomainResponse> {
    return this.domains.verify(scope, id);
  }

  @Post(':domain_id/approve')
  @Requires({ platform: 'admin' })
  @Documented({
    operationId: 'approveSsoDomain',
    summary: 'Approve a domain without a DNS record',
    description:
      'For platform administrators, who have checked by other means that the organization controls the domain.',
    answer: SsoDomainResponse,
    errors: [DomainNotFound, DomainOfAnother],
  })
  approve(
    @Scope() scope: UserScope,
    @IdParam('organization_id') organizationId: string,
    @IdParam('domain_id') id: string,
  ): Promise<SsoDomainResponse> {
    return this.domains.approve(scope, organizationId, id);
  }

  @Delete(':domain_id')
  @Requires({ organization: 'owner', orPlatformAdmin: true })
  @Documented({
    operationId: 'deleteSsoDomain',
    summary: 'Remove a domain',
    description:
      'From then on, connections vouch for no address of the domain. Sessions and memberships stay. Platform administrators may call this too, for a domain whose holder has changed.',
    status: 204,
    errors: [DomainNotFound],
  })
  remove(
    @Scope() scope: OrganizationScope | UserScope,
    @IdParam('organization_id') organizationId: string,
    @IdParam('domain_id') id: string,
  ): Promise<void> {
    return scope.kind === 'user'
      ? this.domains.removeByPlatform(scope, organizationId, id)
      : this.domains.remove(scope, id);
  }
}
