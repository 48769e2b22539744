import { DomainError, domainError } from '../../../platform/http/domain-error.js';
import { EnumField, ListField, nested, TextField, UuidField } from '../../../platform/http/fields/index.js';
import type { SecretUse } from './secret-uses.js';

export class SecretNotFound extends domainError(404, 'Secret not found') {}
export class SecretNameInUse extends domainError(409, 'Secret name already in use') {}
export class TooManySecrets extends domainError(409, 'Project has too many secrets') {}
export class SecretsUnavailable extends domainError(503, 'Secrets are unavailable') {
  override readonly logLevel = 'warn' as const;
}

class SecretReference {
  @UuidField({ description: 'The delivery channel' })
  channel_id!: string;

  @TextField({ description: 'Of the delivery channel' })
  channel_name!: string;

  @TextField({ description: 'Of the protected header' })
  header_name!: string;
}

class SecretInUseRefusal {
  @EnumField(['secret_in_use'] as const, { description: 'What clients tell the refusal by' })
  code!: 'secret_in_use';

  @TextField({ description: 'The same in words' })
  reason!: string;

  @ListField(nested(() => SecretReference), { description: 'The first headers that use it' })
  references!: SecretReference[];
}

const IN_USE = { code: 'secret_in_use', reason: 'The secret is used by protected headers' };

/** Lists the first headers that use the secret. */
export class SecretInUse extends DomainError {
  static readonly status = 409;
  static readonly answer = SecretInUseRefusal;
  static readonly detail = { ...IN_USE, references: [] };

  constructor(uses: readonly SecretUse[] = []) {
    const references = uses.map(({ channelId, channelName, headerName }) => ({
      channel_id: channelId,
      channel_name: channelName,
      header_name: headerName,
    }));
    super(SecretInUse.status, { ...IN_USE, references });
  }
}
