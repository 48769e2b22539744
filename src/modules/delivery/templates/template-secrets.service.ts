import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { brokenRule, type Issue } from '../../../platform/http/validation/index.js';
import { SecretsReader } from '../../entitlement/secrets/index.js';
import { ProjectAuthorization } from '../../tenancy/projects/index.js';
import type { Parameters } from './presets.js';
import { SecretText } from './secret-text.js';
import { type BodyTemplate, MAX_PARAMETER_LENGTH, secretNamesOf, UnbuildableTemplate } from './template.js';

/**
 * The parameters of a template for one send. They are kept only until the request is built and its response is
 * sanitized.
 */
export interface OpenedTemplate {
  readonly parameters: Parameters;
  /** Texts that must not appear in evidence: the parameters, and each secret in them. */
  readonly confidential: readonly string[];
  /** Records that the secrets were used. Never rejects. */
  noteUse(): Promise<void>;
}

/**
 * Decides who may refer to secrets in templates, and fills them in when a request is sent. A person who can send a
 * secret to any address can read it, so only admins change such templates, and where they are sent.
 */
@Injectable()
export class TemplateSecretsService {
  constructor(
    private readonly secrets: SecretsReader,
    private readonly authorization: ProjectAuthorization,
  ) {}

  /**
   * Checks a change of a template, or of the address that it is sent to.
   * @param loc the location of the template in the request
   * @throws InsufficientProjectRole when one of the templates refers to a secret and the caller is no admin, or
   *   ValidationError for a secret that the project does not have
   */
  async admit(
    scope: ProjectMemberScope,
    { before, after, loc }: { before?: BodyTemplate | null; after?: BodyTemplate | null; loc: Issue['loc'] },
    tx: Db,
  ): Promise<void> {
    const names = secretNamesOf(after ?? {});
    if (names.length === 0 && secretNamesOf(before ?? {}).length === 0) return;
    await this.authorization.lockAndAuthorize({ ...scope, needed: { role: 'admin' } }, tx);
    const known = await this.secrets.hold(scope, names, MAX_PARAMETER_LENGTH, tx);
    for (const [parameter, value] of Object.entries(after?.parameters ?? {})) {
      const missing = SecretText.of(value).names.find((name) => !known.has(name));
      if (missing === undefined) continue;
      throw brokenRule([...loc, 'parameters', parameter], `there is no secret ${missing.slice(0, 100)}`, '[redacted]');
    }
  }

  /** @throws UnbuildableTemplate, CryptographyUnavailableError */
  async open(scope: Pick<ProjectScope, 'projectId'>, template: BodyTemplate): Promise<OpenedTemplate> {
    const known = await this.secrets.present(scope, secretNamesOf(template), MAX_PARAMETER_LENGTH);
    const parameters = Object.entries(template.parameters ?? {}).map(([name, value]): [string, string] => {
      const filled = SecretText.of(value).filled((secret) => known.get(secret)?.value, MAX_PARAMETER_LENGTH);
      if (filled === null) throw new UnbuildableTemplate();
      return [name, filled];
    });
    const used = [...known.values()];
    const values = [...parameters.map(([, value]) => value), ...used.flatMap(({ value }) => value ?? [])];
    return {
      parameters: Object.fromEntries(parameters),
      confidential: [...new Set(values)],
      noteUse: () => this.secrets.noteUse(scope, used),
    };
  }
}
