import { Injectable } from '@nestjs/common';
import { newUserId, type UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type MfaChallengeResponse, Refused, SignInGateService } from '../second-factors/index.js';
import { type SecurityAct, SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { RegistrationsWriter, type User } from '../users/index.js';
import { OAuthFault } from './oauth-fault.js';
import { OAuthIdentitiesRepository } from './oauth-identities.repository.js';
import { OAuthStartsRepository } from './oauth-starts.repository.js';
import { PendingLinksService } from './pending-links.service.js';
import type { ProviderName, ProviderPerson } from './providers/provider.js';

export interface Arrival {
  readonly provider: ProviderName;
  readonly person: ProviderPerson;
  /** For an account that is made by this; null: it gets no name. */
  readonly name: string | null;
  /** SHA-256 of a client's own nonce, to be used up; null when a start was. */
  readonly nonceHash: Buffer | null;
  readonly client: Client;
}

/** An account that is open to the person, its challenge when a second factor stands before the link, or a lockout. */
export type Admitted = { readonly userId: UserId } | { readonly challenge: MfaChallengeResponse } | Refused;

type Waiting = Exclude<Admitted, { readonly userId: UserId }>;

interface Admission {
  readonly userId: UserId;
  readonly email: string;
  /** What the first sign-in did to the account; null when the provider was linked before. */
  readonly first: Pick<SecurityAct, 'type' | 'detail'> | null;
}

/**
 * Finds, links or makes the account of a person whom a provider vouches for (DECISIONS 2).
 *
 * The subject decides. Only its first sign-in looks at the address, and only at one the provider has verified:
 * an account that has verified it too is linked, by way of its second factor where it has one; one that has not may
 * have been registered by somebody else in wait for its owner, so the person takes it over without its password;
 * without an account one is made.
 * An account has one subject of each provider: an address that changed hands there opens nothing here.
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
   * @throws OAuthFault when the nonce was used before or the person may not have an account
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
      // The sign-in itself is recorded with the session it opens.
      const made: SecurityAct | null = first === null ? null : { ...first, userId, client };
      if (made !== null) await this.events.record(made, tx);
      return { admitted: { userId }, act: made };
    });
    if (act !== null) this.events.announce(act);
    return admitted;
  }

  private async accountOf(arrival: Arrival, tx: Db): Promise<Admission | Waiting> {
    return (await this.linkedAccount(arrival.person, tx)) ?? this.firstSignIn(arrival, tx);
  }

  private async linkedAccount(person: ProviderPerson, tx: Db): Promise<Admission | null> {
    const account = await this.identities.accountOf(person, tx);
    if (account === null) return null;
    if (!account.verified) throw new OAuthFault('the address of the account is not verified');
    return { userId: account.user_id, email: account.email, first: null };
  }

  /** Parallel first sign-ins queue up at the unique address and then at the account's row. */
  private async firstSignIn({ provider, person, name }: Arrival, tx: Db): Promise<Admission | Waiting> {
    const email = person.verifiedEmail;
    if (email === null) throw new OAuthFault('the provider has not verified the address');
    const registered = await this.registrations.registerConfirmed({ id: newUserId(), email, name }, tx);
    if (registered === null) throw new OAuthFault('the account of the address went away');
    const { user, isNew } = registered;
    if (isNew) {
      await this.link(person, user.id, tx);
      return { userId: user.id, email, first: { type: 'account_registered', detail: { provider } } };
    }
    const linkedMeanwhile = await this.linkedAccount(person, tx);
    if (linkedMeanwhile !== null) return linkedMeanwhile;
    if (user.emailVerifiedAt !== null) {
      const waiting = await this.secondFactorOf(user, { provider, person }, tx);
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

  /** Nobody who merely made a provider account for the address passes by the second factor; null: there is none. */
  private async secondFactorOf(
    user: User,
    { provider, person }: Pick<Arrival, 'provider' | 'person'>,
    tx: Db,
  ): Promise<Waiting | null> {
    const challenge = await this.gate.challenge({ user, tx }, { method: 'oauth' });
    if (challenge === null || challenge instanceof Refused) return challenge;
    const { issuer, subject } = person;
    if ((await this.identities.of(user.id, tx)).some((linked) => linked.issuer === issuer)) throw anotherSubject();
    const link = { provider, issuer, subject, emailKey: user.emailKey };
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
