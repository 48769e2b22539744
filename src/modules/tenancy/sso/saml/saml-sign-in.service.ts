import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Clock } from '../../../../platform/clock/index.js';
import { EventLoopYield, FairSemaphore } from '../../../../platform/concurrency/index.js';
import { randomToken, sha256 } from '../../../../platform/crypto/index.js';
import { clientOf } from '../../../identity/sessions/index.js';
import { SsoBrowser, type TakenSignIn } from '../sso-browser.js';
import type { SsoConnection } from '../sso-connection.entity.js';
import { SsoConnectionsRepository } from '../sso-connections.repository.js';
import { SsoDomainsRepository } from '../sso-domains.repository.js';
import { SsoFault } from '../sso-fault.js';
import { roleOf, SsoRolesRepository } from '../sso-roles.repository.js';
import { issuerOf, type SsoSignedIn, SsoSignInService } from '../sso-sign-in.service.js';
import { SsoStartsRepository } from '../sso-starts.repository.js';
import { type Expected, personIn, requireFor } from './assertion-facts.js';
import { SamlFault } from './saml-fault.js';
import { addressesOf, requireConditions, type ServiceProviderAddresses, signInAddress } from './service-provider.js';
import { readSignedResponse, type SignedResponse } from './signed-response.js';

/**
 * Matches a RelayState in the form that {@link SsoBrowser} creates. Any other RelayState means that the provider
 * started the sign-in.
 */
const OWN_RELAY_STATE = /^[\w-]{43}$/;

/**
 * Maximum number of waiting responses of one organization. Further ones are refused. A typical response takes about 10
 * ms.
 */
const MAX_WAITING_PER_ORGANIZATION = 100;
const MAX_WAITING = 500;

export interface PostedResponse {
  readonly connectionId: string;
  /** The base URL of the API. */
  readonly base: string;
  readonly samlResponse: string;
  readonly relayState: string;
}

/** Signs people in by the SAML identity provider of an organization. */
@Injectable()
export class SamlSignInService {
  /**
   * Verifies responses one at a time, and serves organizations in turn, because a response of the maximum size blocks
   * the event loop for about 0.2 s.
   */
  private readonly slots = new FairSemaphore({
    parallel: 1,
    maxQueued: MAX_WAITING,
    maxQueuedPerKey: MAX_WAITING_PER_ORGANIZATION,
  });

  constructor(
    private readonly browser: SsoBrowser,
    private readonly connections: SsoConnectionsRepository,
    private readonly domains: SsoDomainsRepository,
    private readonly roles: SsoRolesRepository,
    private readonly used: SsoStartsRepository,
    private readonly signIn: SsoSignInService,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts a sign-in. @returns the URL at the provider
   * @throws SsoFault
   */
  async start(
    { connectionId, base, returnTo }: { connectionId: string; base: string; returnTo: string | undefined },
    request: Request,
    response: Response,
  ): Promise<string> {
    this.browser.keepReturnTo(returnTo, request);
    const connection = await this.connectionOf(connectionId);
    await this.domains.requireAny(connection);
    const requestId = `_${randomToken()}`;
    const { state } = await this.browser.begin(connectionId, requestId, request, response);
    return signInAddress(connection, addressesOf(base, connectionId), { requestId, state });
  }

  /**
   * Returns whether a response answers a request of this service, but lacks the cookie of the browser that started the
   * sign-in.
   */
  lacksCookie({ relayState }: PostedResponse, request: Request): boolean {
    return OWN_RELAY_STATE.test(relayState) && !this.browser.hasCookie(request);
  }

  /**
   * Processes a response. @returns the sign-in, and the page that the person wanted to open
   * @throws SsoFault
   * @throws OverloadedError when too many responses wait
   */
  async take(posted: PostedResponse, request: Request): Promise<{ result: SsoSignedIn; returnTo: string | null }> {
    const connection = await this.connectionOf(posted.connectionId);
    const start = await this.startOf(posted, connection, request);
    const arrival = await this.personOf(posted, connection, start?.requestId ?? null);
    const result = await this.signIn.signIn({ ...arrival, client: clientOf(request) });
    return { result, returnTo: start?.returnTo ?? null };
  }

  private async connectionOf(id: string): Promise<SsoConnection> {
    const connection = await this.connections.enabled(id);
    if (connection?.protocol !== 'saml') throw new SsoFault('sso_unknown_provider', 'there is no such connection');
    return connection;
  }

  /** @returns null when the provider started the sign-in. The connection must allow this */
  private async startOf(
    { connectionId, relayState }: PostedResponse,
    { allowsIdpInitiated }: SsoConnection,
    request: Request,
  ): Promise<TakenSignIn | null> {
    if (OWN_RELAY_STATE.test(relayState)) {
      const start = await this.browser.take(connectionId, relayState, request);
      if (start.requestId === null) throw new SamlFault('the sign-in has no request');
      return start;
    }
    if (!allowsIdpInitiated) throw new SamlFault('the connection takes no sign-ins that the provider begins');
    return null;
  }

  private async personOf(
    { connectionId, base, samlResponse }: PostedResponse,
    connection: SsoConnection,
    requestId: string | null,
  ): Promise<Omit<Parameters<SsoSignInService['signIn']>[0], 'client'>> {
    const { organizationId, label, emailAttribute, groupsAttribute } = connection;
    const addresses = addressesOf(base, connectionId);
    const { assertion, until } = await this.slots.run(organizationId, () =>
      this.verified(samlResponse, connection, addresses, requestId),
    );
    const names = { email: emailAttribute, groups: groupsAttribute };
    const { groups, lacksGroups, sessionIndex, ...person } = personIn(assertion, names);
    const id = assertion.attributes.get('ID') ?? '';
    if (!(await this.used.markUsed(connectionId, sha256(id), until))) {
      throw new SamlFault('the assertion was used before');
    }
    const [domains, roles] = await Promise.all([
      this.domains.verifiedOf({ organizationId }),
      this.roles.of({ organizationId }),
    ]);
    if (lacksGroups && roles.groupRoles.length > 0) {
      throw new SamlFault('the assertion leaves the groups out, because there are too many');
    }
    return {
      provider: connectionId,
      label,
      person: { ...person, issuer: issuerOf(connection) },
      membership: { organizationId, role: roleOf(roles, groups) },
      domains,
      providerSession: sessionIndex,
    };
  }

  /** Verifies a response. Then pauses for as long as that took, so that other requests can use the event loop. */
  private async verified(
    samlResponse: string,
    { entityId, certificates }: SsoConnection,
    addresses: ServiceProviderAddresses,
    requestId: string | null,
  ): Promise<Pick<SignedResponse, 'assertion'> & { readonly until: Date }> {
    const startedAt = performance.now();
    try {
      const signed = await readSignedResponse(samlResponse, certificates ?? []);
      const now = this.clock.now();
      const until = requireFor(signed, { ...expectedOf(addresses, entityId), requestId, now });
      await requireConditions(signed.assertionXml, addresses, { requestId, now });
      return { assertion: signed.assertion, until };
    } finally {
      await new EventLoopYield().after(performance.now() - startedAt);
    }
  }
}

function expectedOf(
  { entityId, acs }: ServiceProviderAddresses,
  issuer: string | null,
): Pick<Expected, 'issuer' | 'audience' | 'recipient'> {
  if (issuer === null || issuer === '') throw new SamlFault('the connection has no entity id of its provider');
  return { issuer, audience: entityId, recipient: acs };
}
