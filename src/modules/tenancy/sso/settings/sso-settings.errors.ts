import { domainError } from '../../../../platform/http/domain-error.js';

export class DomainNotFound extends domainError(404, 'Domain not found') {}
export class DomainAlreadyAdded extends domainError(409, 'Domain was added already') {}
export class TooManyDomains extends domainError(409, 'An organization has at most 20 domains') {}
export class DomainOfAnother extends domainError(409, 'Another organization has verified this domain') {}
export class DomainRecordMissing extends domainError(409, 'DNS has no TXT record of this name yet') {}
export class DomainRecordDiffers extends domainError(409, 'The TXT record in DNS has another value') {}
export class DomainUnanswered extends domainError(409, 'The name servers of the domain did not answer') {}
export class ConnectionNotFound extends domainError(404, 'Connection not found') {}
export class TooManyConnections extends domainError(409, 'An organization has at most 10 connections') {}
export class ClientSecretsUnavailable extends domainError(503, 'Client secrets are unavailable') {}
