import { Injectable } from '@nestjs/common';
import { newUserId } from '../../access/index.js';
import { sha256 } from '../../../platform/crypto/index.js';
import { Database } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { RegistrationsWriter, type User } from '../users/index.js';
import { type NewUserToken, UserTokensRepository } from './user-tokens.repository.js';

/** Lifetime of a token that verifies an address. */
export const VERIFICATION_LIFE_SECONDS = 24 * 3600;
/** Minimum time between two mails to one address. */
const PAUSE_SECONDS = 60;

/**
 * A registration whose password has been hashed, or compared with the password of an earlier unverified registration.
 */
export interface Registration {
  readonly email: string;
  readonly name: string | null;
  /** Null when the address already had an unverified registration with a password. */
  readonly passwordHash: string | null;
  /**
   * The hash of the earlier unverified registration, and whether the password is the same. Null when there was no such
   * registration.
   */
  readonly waiting: { readonly hash: string; readonly isSame: boolean } | null;
  /** The token in the mail that verifies the address. */
  readonly token: string;
  readonly client: Client;
}

/** The recipient and the content of the mail about a registration. */
export interface RegistrationOwner {
  readonly email: string;
  readonly isConfirmed: boolean;
  /** Whether no password is valid, so that the owner must choose one by a reset. */
  readonly isVoid: boolean;
}

/**
 * Stores a registration: account, token and security event in one transaction. Every address takes the same statements.
 */
@Injectable()
export class RegistrationRecorder {
  constructor(
    private readonly database: Database,
    private readonly registrations: RegistrationsWriter,
    private readonly tokens: UserTokensRepository,
    private readonly events: SecurityEventsWriter,
  ) {}

  /** @returns `changed` when a concurrent operation changed the account after the password was hashed or compared */
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

/**
 * Builds the token of a registration. For a verified account the token belongs to no user and verifies nothing, but it
 * still limits how often mails are sent to the address.
 */
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
