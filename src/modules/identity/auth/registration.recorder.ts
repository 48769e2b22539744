import { Injectable } from '@nestjs/common';
import { newUserId } from '../../access/index.js';
import { sha256 } from '../../../platform/crypto/index.js';
import { Database } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { RegistrationsWriter, type User } from '../users/index.js';
import { type NewUserToken, UserTokensRepository } from './user-tokens.repository.js';

/** Of a token that confirms an address. */
export const VERIFICATION_LIFE_SECONDS = 24 * 3600;
/** Between two mails to one address. */
const PAUSE_SECONDS = 60;

/** A registration, once its password has been hashed, or compared with the one that waits for its confirmation. */
export interface Registration {
  readonly email: string;
  readonly name: string | null;
  /** Null: the address was seen to wait already. */
  readonly passwordHash: string | null;
  /** The hash that was seen to wait, and whether the password is the same. Null: none was. */
  readonly waiting: { readonly hash: string; readonly isSame: boolean } | null;
  /** For the mail that confirms the address. */
  readonly token: string;
  readonly client: Client;
}

/** Who is mailed about a registration, and what of. */
export interface RegistrationOwner {
  readonly email: string;
  readonly isConfirmed: boolean;
  /** No password counts. */
  readonly isVoid: boolean;
}

/** Writes registrations down: account, token and security event in one transaction, by the same statements for every address. */
@Injectable()
export class RegistrationRecorder {
  constructor(
    private readonly database: Database,
    private readonly registrations: RegistrationsWriter,
    private readonly tokens: UserTokensRepository,
    private readonly events: SecurityEventsWriter,
  ) {}

  /** @returns `changed`: the account is not what the password was hashed for, because of an act at the same time */
  record(registration: Registration): Promise<{ owner: RegistrationOwner; isMailDue: boolean } | 'changed'> {
    const { email, name, passwordHash, waiting, token, client } = registration;
    return this.database.transaction(async (tx) => {
      const registered = await this.registrations.register({ id: newUserId(), email, passwordHash, name }, tx);
      if (registered === null) return 'changed';
      const { user, isNew } = registered;
      const isConfirmed = user.emailVerifiedAt !== null;
      const isWaiting = !isNew && !isConfirmed && user.passwordHash !== null;
      if (isWaiting && user.passwordHash !== (waiting?.hash ?? null)) return 'changed';
      const isDisputed = isWaiting && waiting?.isSame !== true;
      await this.registrations.voidRegistration(user.id, isDisputed, tx);
      const isMailDue = await this.tokens.insertUnlessMadeWithin(registrationToken(user, token), PAUSE_SECONDS, tx);
      const type = isNew ? 'account_registered' : 'registration_repeated';
      await this.events.record({ userId: user.id, type, client }, tx);
      const isVoid = user.passwordHash === null || isDisputed;
      return { owner: { email: user.email, isConfirmed, isVoid }, isMailDue };
    });
  }
}

/** Of a confirmed account nobody's, good for nothing, which keeps its mails apart all the same. */
function registrationToken({ id: userId, emailKey, emailVerifiedAt }: User, token: string): NewUserToken {
  const owner = emailVerifiedAt === null ? { userId } : { strangerHash: sha256(`registered: ${emailKey}`) };
  return {
    id: newId(),
    ...owner,
    purpose: 'verify_email',
    tokenHash: sha256(token),
    lifeSeconds: VERIFICATION_LIFE_SECONDS,
  };
}
