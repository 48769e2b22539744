import type { ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type NamedSecret, type SecretReference, SecretUses } from '../../entitlement/secrets/index.js';
import type { Parameters } from './presets.js';
import { SecretText } from './secret-text.js';

/** The parameters of a stored template, and the channel or destination that has it. */
export interface StoredParameters {
  readonly owner: SecretReference;
  readonly parameters: Parameters;
}

/** Reports the secrets that the parameters of templates name. A project has few templates, so all of them are read. */
export abstract class TemplateSecretUses extends SecretUses {
  /** Returns the templates that have parameters, in a fixed order. */
  protected abstract templates(scope: ProjectScope, db?: Db): Promise<StoredParameters[]>;

  async counts(scope: ProjectScope, secrets: readonly NamedSecret[], db?: Db): Promise<ReadonlyMap<string, number>> {
    const named = (await this.templates(scope, db)).flatMap(({ parameters }) =>
      Object.values(parameters).flatMap((value) => SecretText.of(value).names),
    );
    return new Map(secrets.map(({ id, name }) => [id, named.filter((each) => each === name).length]));
  }

  async of(scope: ProjectScope, { name }: NamedSecret, most: number, tx: Db): Promise<SecretReference[]> {
    const uses = (await this.templates(scope, tx)).flatMap(({ owner, parameters }) =>
      Object.entries(parameters).flatMap(([parameter, value]) =>
        SecretText.of(value).names.includes(name) ? [{ ...owner, parameter_name: parameter }] : [],
      ),
    );
    return uses.slice(0, most);
  }

  /** Nothing is left to release, because the templates of a project are deleted with its channels and destinations. */
  release(): Promise<number> {
    return Promise.resolve(0);
  }
}
