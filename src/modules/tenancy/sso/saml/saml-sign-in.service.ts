import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Clock } from '../../../../platform/clock/index.js';
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
import { personIn, requireFor } from './assertion-facts.js';
import { SamlFault } from './saml-fault.js';
import { addressesOf, requireConditions, type ServiceProviderAddresses, signInAddress } from './service-provider.js';
import { readSignedResponse } from './signed-response.js';

/** A RelayState in the form of those that {@link SsoBrowser} makes. Any other means that the provider began. */
const OWN_RELAY_STATE = /^[\w-]{43}$/;

export interface PostedResponse {
  readonly connectionId: string;
  /** The address of the API. */
  readonly base: string;
  readonly samlResponse: string;
  readonly relayState: string;
}

/** Signs people in by the SAML identity provider of an organization. */
@Injectable()
export class SamlSignInService {
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
   * Begins a sign-in. @returns the address at the provider
   * @throws SsoFault
   */
  async start(
    { connectionId, base, returnTo }: { connectionId: string; base: string; returnTo: string | undefined },
    request: Request,
    response: Response,
  ): Promise<string> {
    const connection = await this.connectionOf(connectionId);
    await this.domains.requireAny(connection);
    const requestId = `_${randomToken()}`;
    const { state } = await this.browser.begin(connectionId, { returnTo, requestId }, request, response);
    return signInAddress(connection, addressesOf(base, connectionId), { requestId, state });
  }

  /** Whether a response answers one of our requests, but comes without the cookie of the browser that began. */
  lacksCookie({ relayState }: PostedResponse, request: Request): boolean {
    return OWN_RELAY_STATE.test(relayState) && !this.browser.hasCookie(request);
  }

  /**
   * Takes a response. @returns the sign-in, and where the person wanted to go
   * @throws SsoFault
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

  /** @returns null when the provider began the sign-in, which the connection must allow */
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
    const { organizationId, label, entityId, certificates } = connection;
    const addresses = addressesOf(base, connectionId);
    const signed = await readSignedResponse(samlResponse, certificates ?? []);
    const now = this.clock.now();
    const until = requireFor(signed, { ...expectedOf(addresses, entityId), requestId, now });
    await requireConditions(signed.assertionXml, addresses, { requestId, now });
    const { groups, sessionIndex, ...person } = personIn(signed.assertion, {
      email: connection.emailAttribute,
      groups: connection.groupsAttribute,
    });
    const id = signed.assertion.attributes.get('ID') ?? '';
    if (!(await this.used.markUsed(connectionId, sha256(id), until))) {
      throw new SamlFault('the assertion was used before');
    }
    const [domains, roles] = await Promise.all([
      this.domains.verifiedOf({ organizationId }),
      this.roles.of({ organizationId }),
    ]);
    return {
      provider: connectionId,
      label,
      person: { ...person, issuer: issuerOf(connectionId) },
      membership: { organizationId, role: roleOf(roles, groups) },
      domains,
      providerSession: sessionIndex,
    };
  }
}

function expectedOf(
  { entityId, acs }: ServiceProviderAddresses,
  issuer: string | null,
): { issuer: string; audience: string; recipient: string } {
  if (issuer === null || issuer === '') throw new SamlFault('the connection has no entity id of its provider');
  return { issuer, audience: entityId, recipient: acs };
}
