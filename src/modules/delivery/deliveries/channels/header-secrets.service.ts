import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { type Issue, ValidationError } from '../../../../platform/http/validation/index.js';
import { type OpenedSecret, SecretsReader } from '../../../entitlement/secrets/index.js';
import { ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { ruleIssue } from '../drivers/channel-configuration.js';
import { headerValueFault, PROTECTED_VALUE_LENGTH } from '../drivers/header-rules.js';
import { HeaderSecretsRepository } from './header-secrets.repository.js';
import { SecretText } from '../../templates/index.js';

/** A requested value of a protected header, and its location in the request. */
interface WantedValue {
  readonly value: string;
  readonly loc: Issue['loc'];
}

const REDACTED = '[redacted]';
/** The error repeats at most this many characters of an unknown name. */
const MOST_OF_NAME = 100;
const ILLEGAL = `with its secrets the value must be a header value of at most ${PROTECTED_VALUE_LENGTH} visible ASCII characters`;

/**
 * Decides who may refer to secrets in headers, and to which ones. A person who can send a secret to any address can
 * read it. So only admins put secrets into headers, and only admins change where such headers are sent.
 */
@Injectable()
export class HeaderSecretsService {
  constructor(
    private readonly secrets: SecretsReader,
    private readonly uses: HeaderSecretsRepository,
    private readonly authorization: ProjectAuthorization,
  ) {}

  /**
   * Returns the ids of the secrets that each value refers to. They cannot be deleted until the transaction ends.
   * @throws InsufficientProjectRole when a value refers to a secret and the caller is no admin, or ValidationError for
   *   an unknown name and for a value that is not valid in a header once its secrets are filled in
   */
  async admit(scope: ProjectMemberScope, wanted: readonly WantedValue[], tx: Db): Promise<string[][]> {
    const read = wanted.map(({ value, loc }) => ({ loc, template: SecretText.of(value) }));
    const names = [...new Set(read.flatMap(({ template }) => template.names))];
    if (names.length === 0) return wanted.map(() => []);
    await this.assertAdmin(scope, tx);
    const known = await this.secrets.hold(scope, names, PROTECTED_VALUE_LENGTH, tx);
    const issues = read.flatMap(({ template, loc }) => {
      const fault = faultOf(template, known);
      return fault === undefined ? [] : [ruleIssue(loc, fault, REDACTED)];
    });
    if (issues.length > 0) throw new ValidationError(issues);
    return read.map(({ template }) => template.names.flatMap((name) => known.get(name)?.id ?? []));
  }

  /**
   * Checks a caller who changes these headers, or where they are sent.
   * @throws InsufficientProjectRole when one of them refers to a secret and the caller is no admin
   */
  async assertMayChange(scope: ProjectMemberScope, headerIds: readonly string[], tx: Db): Promise<void> {
    if (headerIds.length > 0 && (await this.uses.isUsedBy(scope, headerIds, tx))) await this.assertAdmin(scope, tx);
  }

  /** @param secretIds as {@link admit} has returned them */
  async record(scope: ProjectMemberScope, headerId: string, secretIds: readonly string[], tx: Db): Promise<void> {
    await this.uses.replace(scope, headerId, secretIds, tx);
  }

  /** Checks the role again, under the locks that the transaction holds already. */
  private async assertAdmin(scope: ProjectMemberScope, tx: Db): Promise<void> {
    await this.authorization.lockAndAuthorize({ ...scope, needed: { role: 'admin' } }, tx);
  }
}

function faultOf(template: SecretText, known: ReadonlyMap<string, OpenedSecret>): string | undefined {
  const missing = template.names.find((name) => !known.has(name));
  if (missing !== undefined) return `there is no secret ${missing.slice(0, MOST_OF_NAME)}`;
  const value = template.filled((name) => known.get(name)?.value, PROTECTED_VALUE_LENGTH);
  return value === null ? ILLEGAL : headerValueFault(value) && ILLEGAL;
}
