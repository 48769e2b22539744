import type { INestApplicationContext } from '@nestjs/common';
import { AccountAdministrationService } from '../../modules/identity/account/index.js';
import type { User } from '../../modules/identity/users/index.js';
import { OrganizationDirectoryReader } from '../../modules/tenancy/organizations/index.js';
import { CommandFailed, type OperatorWork } from './operator-context.js';
import { answer, type AnswerForm, record, table } from './output.js';

export interface PageOptions extends AnswerForm {
  readonly limit: number;
  readonly offset: number;
}

type Services = Pick<INestApplicationContext, 'get'>;

export function listUsers(options: PageOptions): OperatorWork {
  return async (app) => {
    const [users, total] = await app.get(AccountAdministrationService).list(options);
    const { limit, offset } = options;
    const rows = users.map((user) => [user.email, user.id, stateOf(user), user.createdAt]);
    const text = [...table(['ADDRESS', 'ID', 'STATE', 'CREATED'], rows), pageLine(users.length, total, offset)];
    await answer(options, { items: users.map(userJson), total, limit, offset }, text);
  };
}

export function showUser(address: string, form: AnswerForm): OperatorWork {
  return async (app) => {
    const { user, factors, sessions } = await app
      .get(AccountAdministrationService)
      .detailsOf(await userOf(app, address));
    const organizations = await app.get(OrganizationDirectoryReader).ofUser(user.id);
    const details = {
      has_password: user.passwordHash !== null,
      totp: factors.totp,
      passkeys: factors.passkeys,
      recovery_codes: factors.recoveryCodes,
      active_sessions: sessions,
    };
    const roles = organizations.map(({ slug, id, role }) => [slug, id, role]);
    await answer(form, { ...userJson(user), ...details, organizations }, [
      ...record({ ...userJson(user), ...details }),
      ...(roles.length === 0 ? [] : ['', ...table(['ORGANIZATION', 'ID', 'ROLE'], roles)]),
    ]);
  };
}

export function resetMfa(address: string, form: AnswerForm): OperatorWork {
  return async (app) => {
    const user = await userOf(app, address);
    const { had, sessions } = await app.get(AccountAdministrationService).resetFactors(user.id);
    const removed = { totp: had.totp, passkeys: had.passkeys, recovery_codes: had.recoveryCodes };
    await answer(form, { id: user.id, email: user.email, removed, sessions_ended: sessions }, [
      `Removed the second factors of ${user.email}: authenticator app ${had.totp ? 'yes' : 'no'}, passkeys ${had.passkeys}, recovery codes ${had.recoveryCodes}.`,
      `Ended ${sessions} sessions.`,
    ]);
  };
}

export function disableUser(address: string, form: AnswerForm): OperatorWork {
  return async (app) => {
    const user = await userOf(app, address);
    const { sessions } = await app.get(AccountAdministrationService).disable(user.id);
    await answer(form, { id: user.id, email: user.email, disabled: true, sessions_ended: sessions }, [
      `Disabled ${user.email} and ended ${sessions} sessions. API keys that the account has created still work.`,
    ]);
  };
}

export function enableUser(address: string, form: AnswerForm): OperatorWork {
  return async (app) => {
    const user = await userOf(app, address);
    await app.get(AccountAdministrationService).enable(user.id);
    await answer(form, { id: user.id, email: user.email, disabled: false }, [`${user.email} can sign in again.`]);
  };
}

/** @throws CommandFailed when no account has the address */
export async function userOf(app: Services, address: string): Promise<User> {
  const user = await app.get(AccountAdministrationService).find(address);
  if (user === null) throw new CommandFailed(`No account has the address ${address}.`);
  return user;
}

/** Says which part of a list was printed. */
export function pageLine(printed: number, total: number, offset: number): string {
  return printed === 0 ? `None of ${total}.` : `${offset + 1} to ${offset + printed} of ${total}.`;
}

function stateOf({ disabledAt, emailVerifiedAt }: User): string {
  return disabledAt !== null ? 'disabled' : emailVerifiedAt === null ? 'unverified' : 'active';
}

function userJson(user: User): Record<'id' | 'email' | 'created_at' | 'state', string> & Record<'name', string | null> {
  const { id, email, name, createdAt } = user;
  return { id, email, name, state: stateOf(user), created_at: createdAt.toISOString() };
}
