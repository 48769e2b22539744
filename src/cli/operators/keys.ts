import { KeyAdministrationService } from '../../modules/entitlement/api-keys/index.js';
import { CommandFailed, type OperatorWork } from './operator-context.js';
import { answer, type AnswerForm, table } from './output.js';

/** Maximum number of keys that are listed when several have the prefix. */
const MOST_LISTED = 20;

/**
 * Revokes the key with this id, or the only key with this prefix. Revoked keys are considered only when no active key
 * matches.
 * @throws CommandFailed when no key or several keys match
 */
export function revokeKey(idOrPrefix: string, form: AnswerForm): OperatorWork {
  return async (app) => {
    const keys = app.get(KeyAdministrationService);
    const all = await keys.find(idOrPrefix, MOST_LISTED + 1);
    const living = all.filter(({ revokedAt }) => revokedAt === null);
    const found = living.length === 0 ? all : living;
    const [key] = found;
    if (key === undefined) throw new CommandFailed('No key has this id or begins with these characters.');
    if (found.length > 1) {
      const rows = found
        .slice(0, MOST_LISTED)
        .map((one) => [one.id, one.prefix, one.projectName, one.createdAt, one.revokedAt]);
      const more = found.length > MOST_LISTED ? ['and more'] : [];
      const list = [...table(['ID', 'PREFIX', 'PROJECT', 'CREATED', 'REVOKED'], rows), ...more];
      throw new CommandFailed(['Several keys begin with these characters. Name one by its id:', ...list].join('\n'));
    }
    const revokes = await keys.revoke(key);
    const { id, prefix, projectId, projectName } = key;
    await answer(form, { id, prefix, project_id: projectId, revoked: true, was_revoked: !revokes }, [
      revokes
        ? `Revoked the key ${id} (${prefix}) of the project ${projectName}.`
        : `The key ${id} (${prefix}) of the project ${projectName} was revoked before.`,
    ]);
  };
}
