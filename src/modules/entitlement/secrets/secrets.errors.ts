import { DomainError, domainError } from '../../../platform/http/domain-error.js';
import { EnumField, ListField, nested, TextField, UuidField } from '../../../platform/http/validation/index.js';

export class SecretNotFound extends domainError(404, 'Secret not found') {}
export class SecretNameInUse extends domainError(409, 'Secret name already in use') {}
export class TooManySecrets extends domainError(409, 'Project has too many secrets') {}
export class SecretsUnavailable extends domainError(503, 'Secrets are unavailable') {
  override readonly logLevel = 'warn' as const;
}

/** A place that refers to a secret: a channel or a destination, with a header or with a parameter of its template. */
export class SecretReference {
  @UuidField({ optional: true, description: 'The delivery channel' })
  channel_id?: string;

  @TextField({ optional: true, description: 'Of the delivery channel' })
  channel_name?: string;

  @UuidField({ optional: true, description: 'The alert destination' })
  destination_id?: string;

  @TextField({ optional: true, description: 'Of the alert destination' })
  destination_name?: string;

  @TextField({ optional: true, description: 'Of the protected header' })
  header_name?: string;

  @TextField({ optional: true, description: 'Of the parameter of the template' })
  parameter_name?: string;
}

class SecretInUseRefusal {
  @EnumField(['secret_in_use'] as const, { description: 'What clients tell the refusal by' })
  code!: 'secret_in_use';

  @TextField({ description: 'The same in words' })
  reason!: string;

  @ListField(nested(() => SecretReference), {
    description: 'The first headers and parameters of templates that use it',
  })
  references!: SecretReference[];
}

const CODE = 'secret_in_use';
const BY_HEADERS = 'The secret is used by protected headers';

/** Lists the first places that use the secret. */
export class SecretInUse extends DomainError {
  static readonly status = 409;
  static readonly answer = SecretInUseRefusal;
  static readonly detail = { code: CODE, reason: BY_HEADERS, references: [] };

  constructor(references: readonly SecretReference[] = []) {
    const templates = references.filter((reference) => reference.parameter_name !== undefined).length;
    const others = templates === references.length ? 'The secret is used by templates' : `${BY_HEADERS} and templates`;
    super(SecretInUse.status, { code: CODE, reason: templates === 0 ? BY_HEADERS : others, references });
  }
}
