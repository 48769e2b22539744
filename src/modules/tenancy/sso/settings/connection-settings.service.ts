import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { brokenRule, type Issue, ValidationError } from '../../../../platform/http/validation/index.js';
import { DestinationSafety, parseDestination } from '../../../../platform/outbound-http/index.js';
import type { OrganizationScope } from '../../../access/index.js';
import { MetadataFault, settingsFromMetadata } from '../saml/idp-metadata.js';
import type { NewSsoConnection } from '../sso-connections.repository.js';
import type { SsoProtocol } from '../sso-connection.entity.js';
import { MAX_CERTIFICATES, readCertificate } from './certificates.js';
import type { ChangeConnectionRequest } from './connections.dto.js';

type Member = Exclude<keyof ChangeConnectionRequest, 'label' | 'is_enabled'>;

const MEMBERS: Readonly<Record<SsoProtocol, readonly Member[]>> = {
  oidc: ['issuer', 'client_id', 'client_secret', 'scopes', 'groups_claim', 'trusts_email'],
  saml: [
    'metadata_xml',
    'entity_id',
    'sign_in_url',
    'certificates',
    'email_attribute',
    'groups_attribute',
    'allows_idp_initiated',
  ],
};
/** The members that a connection must have. */
const REQUIRED: Readonly<Record<SsoProtocol, readonly Member[]>> = {
  oidc: ['issuer', 'client_id'],
  saml: ['entity_id', 'sign_in_url', 'certificates'],
};
const NAMES = { oidc: 'OpenID Connect', saml: 'SAML' } as const;

/** The changed columns. The secret is not included, because it is encrypted separately for its row. */
export type ConnectionChange = Partial<Omit<NewSsoConnection, 'id' | 'protocol' | 'clientSecret'>>;

interface ProviderSettings {
  readonly entity_id?: string | undefined;
  readonly sign_in_url?: string | undefined;
  readonly certificates?: readonly string[] | undefined;
}

/** Validates the settings that an owner enters for an identity provider. */
@Injectable()
export class ConnectionSettingsService {
  constructor(
    private readonly safety: DestinationSafety,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Returns the columns that a request sets. Resolves the host name of an issuer, which takes at most 2 seconds.
   * @param isNew whether the request creates a connection and must have all required members
   * @throws ValidationError
   */
  async read(
    { organizationId }: Pick<OrganizationScope, 'organizationId'>,
    protocol: SsoProtocol,
    request: ChangeConnectionRequest,
    isNew: boolean,
  ): Promise<ConnectionChange> {
    const provider = request.metadata_xml === undefined ? request : settingsOf(request.metadata_xml);
    const issues = [
      ...membersOfOtherProtocol(protocol, request),
      ...(isNew ? missingMembers(protocol, { ...request, ...provider }) : []),
      ...besidesMetadata(request),
    ];
    if (issues.length > 0) throw new ValidationError(issues);
    const { issuer } = request;
    if (issuer !== undefined) await this.checkIssuer(issuer, organizationId);
    const place = request.metadata_xml === undefined ? 'sign_in_url' : 'metadata_xml';
    const { sign_in_url: signInUrl } = provider;
    return withoutUndefined({
      label: request.label,
      isEnabled: request.is_enabled,
      issuer,
      clientId: request.client_id,
      scopes: request.scopes,
      groupsClaim: request.groups_claim,
      trustsEmail: request.trusts_email,
      entityId: provider.entity_id,
      signInUrl: signInUrl === undefined ? undefined : this.checkedSignInUrl(signInUrl, place),
      certificates: provider.certificates?.map(pemOf),
      emailAttribute: request.email_attribute,
      groupsAttribute: request.groups_attribute,
      allowsIdpInitiated: request.allows_idp_initiated,
    });
  }

  /** Checks the URL of an issuer. The service itself sends requests to it, so it must be public. */
  private async checkIssuer(issuer: string, organizationId: string): Promise<void> {
    const url = this.checkedUrl(issuer, 'issuer');
    // Issuers are compared exactly. An issuer that URL parsers rewrite would never be equal to the one in a token.
    if (url.search !== '' || issuer.includes('?') || issuer.includes('#'))
      throw refusal('issuer', 'an issuer has no query and no fragment');
    if (url.href !== issuer && url.href !== `${issuer}/`)
      throw refusal('issuer', `an issuer is written as ${url.href.slice(0, 200)}`);
    const problem = await this.safety.checkAtConfiguration(url, organizationId);
    if (problem !== null) throw refusal('issuer', problem);
  }

  /** Checks the sign-in URL. Only the browser opens it, so it may be in the company's own network. */
  private checkedSignInUrl(text: string, place: 'sign_in_url' | 'metadata_xml'): string {
    const url = this.checkedUrl(text, place);
    if (url.hash !== '') throw refusal(place, 'the sign-in URL has no fragment');
    return url.href;
  }

  private checkedUrl(text: string, place: 'issuer' | 'sign_in_url' | 'metadata_xml'): URL {
    const parsed = parseDestination(text, { refuseCredentialQuery: false });
    if (!parsed.ok) throw refusal(place, parsed.problem);
    if (this.config.environment === 'production' && parsed.url.protocol !== 'https:')
      throw refusal(place, "URL scheme should be 'https'");
    return parsed.url;
  }
}

/** @throws ValidationError */
function settingsOf(xml: string): ProviderSettings {
  try {
    const settings = settingsFromMetadata(xml);
    if (settings.certificates.length > MAX_CERTIFICATES)
      throw refusal('metadata_xml', `the metadata has more than ${MAX_CERTIFICATES} signing certificates`);
    const problem = settings.certificates.map(readCertificate).find((read) => 'problem' in read)?.problem;
    if (problem !== undefined) throw refusal('metadata_xml', problem);
    return settings;
  } catch (error) {
    throw error instanceof MetadataFault ? refusal('metadata_xml', error.message) : error;
  }
}

function membersOfOtherProtocol(protocol: SsoProtocol, request: ChangeConnectionRequest): Issue[] {
  const others = MEMBERS[protocol === 'oidc' ? 'saml' : 'oidc'];
  return others
    .filter((member) => request[member] !== undefined)
    .flatMap((member) => refusal(member, `a connection by ${NAMES[protocol]} has no ${member}`).issues);
}

function missingMembers(protocol: SsoProtocol, request: Partial<Record<Member, unknown>>): Issue[] {
  return REQUIRED[protocol]
    .filter((member) => request[member] === undefined)
    .flatMap((member) => refusal(member, `a connection by ${NAMES[protocol]} needs ${member}`).issues);
}

function besidesMetadata(request: ChangeConnectionRequest): Issue[] {
  if (request.metadata_xml === undefined) return [];
  return REQUIRED.saml
    .filter((member) => request[member] !== undefined)
    .flatMap((member) => refusal(member, `${member} is taken from the metadata`).issues);
}

/** Returns an error without the input, which could be a secret that was entered in the wrong field. */
function refusal(member: string, sentence: string): ValidationError {
  return brokenRule(['body', member], sentence, null);
}

function pemOf(text: string): string {
  const read = readCertificate(text);
  if ('problem' in read) throw new Error(`The field has accepted a certificate with a problem: ${read.problem}`);
  return read.certificate.toString();
}

function withoutUndefined<T extends object>(members: { [Key in keyof T]: T[Key] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
