import { DateTimeField, EnumField, TextField, UuidField } from '../../../../platform/http/validation/index.js';
import type { SsoDomain } from '../sso-domain.entity.js';
import { MAX_TYPED_LENGTH, readDomain } from './domain-name.js';
import { recordOf } from './domain-records.js';

const problemOf = (text: string): string | undefined => {
  const read = readDomain(text);
  return 'problem' in read ? read.problem : undefined;
};

export class AddDomainRequest {
  @TextField({
    min: 1,
    max: MAX_TYPED_LENGTH,
    check: problemOf,
    example: 'example.com',
    description: 'The part of addresses after the @, exactly: a domain does not stand for its subdomains',
  })
  domain!: string;
}

export class SsoDomainResponse {
  @UuidField({})
  id!: string;

  @UuidField({ description: 'The organization that claims the domain' })
  organization_id!: string;

  @TextField({ example: 'example.com', description: 'In lower-case A-labels' })
  domain!: string;

  @TextField({
    example: '_operational-event-service.example.com',
    description: 'The name of the TXT record that verifies the domain',
  })
  record_name!: string;

  @TextField({ description: 'The value of the TXT record' })
  record_value!: string;

  @DateTimeField({ nullable: true, description: 'Null: not verified' })
  verified_at!: string | null;

  @EnumField(['dns', 'platform'], {
    nullable: true,
    description: '`platform`: a platform administrator approved it. Null: not verified',
  })
  verified_by!: 'dns' | 'platform' | null;

  @DateTimeField({})
  created_at!: string;
}

export function ssoDomainResponse(row: SsoDomain): SsoDomainResponse {
  const record = recordOf(row);
  return {
    id: row.id,
    organization_id: row.organizationId,
    domain: row.domain,
    record_name: record.name,
    record_value: record.value,
    verified_at: row.verifiedAt?.toISOString() ?? null,
    verified_by: row.verifiedBy,
    created_at: row.createdAt.toISOString(),
  };
}
