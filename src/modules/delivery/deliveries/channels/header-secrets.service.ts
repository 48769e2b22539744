import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { type Issue, ValidationError } from '../../../../platform/http/fields/index.js';
import { type OpenedSecret, SecretsReader } from '../../../entitlement/secrets/index.js';
import { ProjectActsService } from '../../../tenancy/projects/index.js';
import { ruleIssue } from '../drivers/channel-configuration.js';
import { headerValueFault, PROTECTED_VALUE_LENGTH } from '../drivers/header-rules.js';
import { HeaderSecretsRepository } from './header-secrets.repository.js';
import { HeaderTemplate } from './header-template.js';

/** A value that somebody wants a protected header to have, and its place in the request. */
interface WantedValue {
  readonly value: string;
  readonly loc: Issue['loc'];
}

const REDACTED = '[redacted]';
/** Characters that are told of a name that is none. */
const MOST_OF_NAME = 100;
const ILLEGAL = `with its secrets the value must be a header value of at most ${PROTECTED_VALUE_LENGTH} visible ASCII characters`;

/**
 * Who may let headers name secrets, and which. Whoever may send a secret somewhere may read it: so admins alone say in which
 * headers it stands, and where these go.
 */
@Injectable()
export class HeaderSecretsService {
  constructor(
    private readonly secrets: SecretsReader,
    private readonly uses: HeaderSecretsRepository,
    private readonly acts: ProjectActsService,
  ) {}

  /**
   * The ids of the secrets that each value names. These cannot be deleted until the transaction ends.
   * @throws InsufficientProjectRole, or ValidationError for a name that the project does not have and for a value that would
   *   be no header's
   */
  async admit(scope: ProjectMemberScope, wanted: readonly WantedValue[], tx: Db): Promise<string[][]> {
    const read = wanted.map(({ value, loc }) => ({ loc, template: HeaderTemplate.of(value) }));
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

  /** For whoever changes these headers, or where they are sent. @throws InsufficientProjectRole when one names a secret */
  async assertMayChange(scope: ProjectMemberScope, headerIds: readonly string[], tx: Db): Promise<void> {
    if (headerIds.length > 0 && (await this.uses.isUsedBy(scope, headerIds, tx))) await this.assertAdmin(scope, tx);
  }

  /** @param secretIds as {@link admit} has found them */
  async record(scope: ProjectMemberScope, headerId: string, secretIds: readonly string[], tx: Db): Promise<void> {
    await this.uses.replace(scope, headerId, secretIds, tx);
  }

  /** Reads the role again under the locks that the act holds already. */
  private async assertAdmin(scope: ProjectMemberScope, tx: Db): Promise<void> {
    await this.acts.begin({ ...scope, needed: { role: 'admin' } }, tx);
  }
}

function faultOf(template: HeaderTemplate, known: ReadonlyMap<string, OpenedSecret>): string | undefined {
  const missing = template.names.find((name) => !known.has(name));
  if (missing !== undefined) return `there is no secret ${missing.slice(0, MOST_OF_NAME)}`;
  const value = template.filled((name) => known.get(name)?.value, PROTECTED_VALUE_LENGTH);
  return value === null ? ILLEGAL : headerValueFault(value) && ILLEGAL;
}
