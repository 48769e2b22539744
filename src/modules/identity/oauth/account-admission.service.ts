import { Injectable } from '@nestjs/common';
import { newUserId, type UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type MfaChallengeResponse, Refused, SignInGateService } from '../second-factors/index.js';
import { type SecurityAct, SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { RegistrationsWriter, type User } from '../users/index.js';
import { AccountIsDisabled, OAuthFault } from './oauth-fault.js';
import { OAuthIdentitiesRepository } from './oauth-identities.repository.js';
import { OAuthStartsRepository } from './oauth-starts.repository.js';
import { PendingLinksService } from './pending-links.service.js';
import type { ProvidedMembership, ProviderSession } from './on-identity-linked.js';
import type { ProviderPerson } from './providers/provider.js';

export interface Arrival {
  /** The name of the provider in security events. */
  readonly provider: string;
  readonly person: ProviderPerson;
  /** The name of an account that this sign-in creates. Null when the account gets no name. */
  readonly name: string | null;
  /**
   * SHA-256 of a nonce that the client generated and that this sign-in uses up. Null when the sign-in began with
   * `authorize`.
   */
  readonly nonceHash: Buffer | null;
  readonly client: Client;
  /** The membership that comes with a link that waits for the second factor. By default there is none. */
  readonly membership?: ProvidedMembership | null;
  /** The session at a company's provider. By default there is none. */
  readonly session?: ProviderSession | null;
  /**
   * Checks the account that the subject is linked to, in the transaction of the sign-in.
   * @throws OAuthFault when the provider may not open the account
   */
  readonly mayOpen?: (account: { readonly email: string }) => void;
}

/**
 * The account that the user may open, the challenge when the account's second factor must be shown before the link, or
 * a lockout.
 */
export type Admitted = { readonly userId: UserId } | { readonly challenge: MfaChallengeResponse } | Refused;

type Waiting = Exclude<Admitted, { readonly userId: UserId }>;

interface Admission {
  readonly userId: UserId;
  readonly email: string;
  /** The change that the first sign-in made in the account. Null when the provider was already linked. */
  readonly first: Pick<SecurityAct, 'type' | 'detail'> | null;
}

/**
 * Finds, links or creates the account of a user whom a sign-in provider has authenticated.
 *
 * The subject identifies the account. Only the first sign-in of a subject reads the email address, and only an address
 * that the provider has verified:
 * - An account that has verified the same address is linked. If the account has a second factor, the user must show
 *   that factor first.
 * - An account that has not verified the address may have been registered by a stranger. The user takes the account
 *   over without its password.
 * - If no account has the address, one is created.
 * - A disabled account is neither linked nor taken over.
 *
 * An account is linked to at most one subject of each provider. So another subject that gets the address at the
 * provider later cannot open the account.
 */
@Injectable()
export class AccountAdmissionService {
  constructor(
    private readonly database: Database,
    private readonly starts: OAuthStartsRepository,
    private readonly identities: OAuthIdentitiesRepository,
    private readonly registrations: RegistrationsWriter,
    private readonly gate: SignInGateService,
    private readonly pending: PendingLinksService,
    private readonly events: SecurityEventsWriter,
  ) {}

  /**
   * Finds or creates the account and records the security event of a new link or account.
   * @throws OAuthFault when the nonce was used before or the user may not have an account
   */
  async admit(arrival: Arrival): Promise<Admitted> {
    const { nonceHash, client } = arrival;
    const { admitted, act } = await this.database.transaction(async (tx) => {
      if (nonceHash !== null && !(await this.starts.markUsed(nonceHash, tx))) {
        throw new OAuthFault('the nonce was used before');
      }
      const admission = await this.accountOf(arrival, tx);
      if (!('userId' in admission)) return { admitted: admission, act: null };
      const { userId, first } = admission;
      // The security event of the sign-in itself is recorded when the session is opened.
      const made: SecurityAct | null = first === null ? null : { ...first, userId, client };
      if (made !== null) await this.events.record(made, tx);
      return { admitted: { userId }, act: made };
    });
    if (act !== null) this.events.announce(act);
    return admitted;
  }

  private async accountOf(arrival: Arrival, tx: Db): Promise<Admission | Waiting> {
    return (await this.linkedAccount(arrival, tx)) ?? this.firstSignIn(arrival, tx);
  }

  private async linkedAccount({ person, mayOpen }: Arrival, tx: Db): Promise<Admission | null> {
    const account = await this.identities.accountOf(person, tx);
    if (account === null) return null;
    if (!account.verified) throw new OAuthFault('the address of the account is not verified');
    if (account.disabled) throw new AccountIsDisabled();
    mayOpen?.(account);
    return { userId: account.user_id, email: account.email, first: null };
  }

  /**
   * Handles the first sign-in of a subject. Parallel first sign-ins run one after another: first the unique address and
   * then the lock on the account's row makes them wait.
   */
  private async firstSignIn(arrival: Arrival, tx: Db): Promise<Admission | Waiting> {
    const { provider, person, name } = arrival;
    const email = person.verifiedEmail;
    if (email === null) throw new OAuthFault('the provider has not verified the address');
    const registered = await this.registrations.registerConfirmed({ id: newUserId(), email, name }, tx);
    if (registered === null) throw new OAuthFault('the account of the address went away');
    const { user, isNew } = registered;
    if (user.disabledAt !== null) throw new AccountIsDisabled();
    if (isNew) {
      await this.link(person, user.id, tx);
      return { userId: user.id, email, first: { type: 'account_registered', detail: { provider } } };
    }
    const linkedMeanwhile = await this.linkedAccount(arrival, tx);
    if (linkedMeanwhile !== null) return linkedMeanwhile;
    if (user.emailVerifiedAt !== null) {
      const waiting = await this.secondFactorOf(user, arrival, tx);
      if (waiting !== null) return waiting;
    }
    await this.link(person, user.id, tx);
    if (user.emailVerifiedAt === null) {
      await this.registrations.takeOverUnverified(user.id, { email, name }, tx);
      const detail = { provider, replaced_unverified_registration: true };
      return { userId: user.id, email, first: { type: 'account_registered', detail } };
    }
    return { userId: user.id, email: user.email, first: { type: 'oauth_linked', detail: { provider } } };
  }

  /**
   * Opens a challenge when the account has a second factor, so that a provider account for the same address does not
   * bypass that factor. Returns null when the account has no second factor.
   */
  private async secondFactorOf(
    user: User,
    { provider, person, membership = null, session = null }: Arrival,
    tx: Db,
  ): Promise<Waiting | null> {
    const challenge = await this.gate.challenge({ user, tx }, { method: 'oauth' });
    if (challenge === null || challenge instanceof Refused) return challenge;
    const { issuer, subject } = person;
    if ((await this.identities.of(user.id, tx)).some((linked) => linked.issuer === issuer)) throw anotherSubject();
    const link = { provider, issuer, subject, emailKey: user.emailKey, membership, session };
    await this.pending.await(challenge.challenge_token, link, tx);
    return { challenge };
  }

  private async link(person: ProviderPerson, userId: UserId, tx: Db): Promise<void> {
    if (!(await this.identities.insert(person, userId, tx))) {
      throw anotherSubject();
    }
  }
}

function anotherSubject(): OAuthFault {
  return new OAuthFault('the account has another subject of this provider');
}
