import { createHash, createSign, randomBytes, randomUUID } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { type Certificate, makeCertificate } from './certificates.js';

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
export const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

const SIGNATURES = {
  'rsa-sha256': 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'rsa-sha512': 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'ecdsa-sha256': 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256',
  'rsa-sha1': 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  'hmac-sha1': 'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
} as const;

export interface Signing {
  readonly key: string;
  readonly algorithm: keyof typeof SIGNATURES;
  readonly digest: string;
  /** Prefixes that are canonicalized although no name uses them, as some providers write them. */
  readonly inclusivePrefixes?: readonly string[];
}

/** The values of a response. Times are in seconds from now. */
export interface ResponseWish {
  readonly acs: string;
  readonly audience: string;
  readonly issuer: string;
  readonly assertionIssuer: string;
  readonly destination: string;
  readonly recipient: string;
  readonly requestId: string | null;
  readonly confirmedRequestId: string | null;
  readonly nameId: string;
  /** Null: the NameID has no format. */
  readonly nameIdFormat: string | null;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly issuedAt: number;
  readonly notBefore: number;
  readonly notOnOrAfter: number;
  readonly confirmedUntil: number;
  readonly responseId: string;
  readonly assertionId: string;
  readonly status: string;
  /** XML within the assertion, after its statements. */
  readonly inAssertion: string;
  /** XML within the response, before its assertion. */
  readonly inResponse: string;
}

/** The providers of a file share their keys, because an RSA key takes long to create. A foreign key is made by the test. */
const RSA: Certificate = makeCertificate({ names: ['idp.example.com'], keyType: 'rsa' });
const EC: Certificate = makeCertificate({ names: ['idp.example.com'] });

/** An identity provider in the process of the test. It builds each response by hand, so that a test can change any part. */
export class SamlProvider {
  readonly entityId = `https://idp-${randomBytes(4).toString('hex')}.example.com/metadata`;
  readonly signInUrl = 'https://idp.example.com/sso';
  readonly rsa = RSA;
  readonly ec = EC;

  /** The default signature. */
  get signing(): Signing {
    return { key: this.rsa.key, algorithm: 'rsa-sha256', digest: 'http://www.w3.org/2001/04/xmlenc#sha256' };
  }

  /** Returns a response that is not signed. */
  response(given: Pick<ResponseWish, 'acs' | 'audience' | 'requestId'> & Partial<ResponseWish>): string {
    const wish: ResponseWish = {
      issuer: this.entityId,
      assertionIssuer: given.issuer ?? this.entityId,
      destination: given.acs,
      recipient: given.acs,
      confirmedRequestId: given.requestId,
      nameId: `ann-${randomUUID()}`,
      nameIdFormat: PERSISTENT,
      attributes: {},
      issuedAt: 0,
      notBefore: -5,
      notOnOrAfter: 300,
      confirmedUntil: 300,
      responseId: `_${randomBytes(16).toString('hex')}`,
      assertionId: `_${randomBytes(16).toString('hex')}`,
      status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
      inAssertion: '',
      inResponse: '',
      ...given,
    };
    return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${wish.responseId}" Version="2.0" IssueInstant="${at(wish.issuedAt)}" Destination="${wish.destination}"${answered(wish.requestId)}><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${wish.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${wish.status}"/></samlp:Status>${wish.inResponse}${assertion(wish)}</samlp:Response>`;
  }

  /** Returns a response whose assertion is signed, and which then is signed as a whole. */
  signedResponse(...[wish, signing]: [Parameters<SamlProvider['response']>[0], Partial<Signing>?]): string {
    return this.sign(this.sign(this.response(wish), 'Assertion', signing), 'Response', signing);
  }

  /** Adds the signature of the first element of this name. */
  sign(xml: string, element: 'Assertion' | 'Response', signing: Partial<Signing> = {}): string {
    const { key, algorithm, digest, inclusivePrefixes = [] } = { ...this.signing, ...signing };
    const id = new RegExp(`<\\w+:${element} [^>]*?ID="([^"]+)"`).exec(xml)?.[1] ?? '';
    const xpath = `//*[@ID='${id}']`;
    const signer = new SignedXml({
      privateKey: key,
      signatureAlgorithm: SIGNATURES[algorithm],
      canonicalizationAlgorithm: EXCLUSIVE,
    });
    if (algorithm === 'hmac-sha1') signer.enableHMAC();
    signer.SignatureAlgorithms[SIGNATURES['ecdsa-sha256']] = EcdsaSha256 as never;
    signer.addReference({
      xpath,
      transforms: [ENVELOPED, EXCLUSIVE],
      digestAlgorithm: digest,
      inclusiveNamespacesPrefixList: [...inclusivePrefixes],
    });
    signer.computeSignature(xml, {
      prefix: 'ds',
      location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' },
    });
    return signer.getSignedXml();
  }
}

class EcdsaSha256 {
  getAlgorithmName = (): string => SIGNATURES['ecdsa-sha256'];
  getSignature = (text: string, key: string): string =>
    createSign('sha256').update(text).sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64');
}

function assertion(wish: ResponseWish): string {
  const statements = Object.entries(wish.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  );
  return [
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${wish.assertionId}" Version="2.0" IssueInstant="${at(wish.issuedAt)}">`,
    `<saml:Issuer>${wish.assertionIssuer}</saml:Issuer>`,
    `<saml:Subject><saml:NameID${wish.nameIdFormat === null ? '' : ` Format="${wish.nameIdFormat}"`}>${wish.nameId}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${at(wish.confirmedUntil)}" Recipient="${wish.recipient}"${answered(wish.confirmedRequestId)}/></saml:SubjectConfirmation></saml:Subject>`,
    `<saml:Conditions NotBefore="${at(wish.notBefore)}" NotOnOrAfter="${at(wish.notOnOrAfter)}"><saml:AudienceRestriction><saml:Audience>${wish.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${at(wish.issuedAt)}" SessionIndex="${sessionIndex(wish.assertionId)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    statements.length === 0 ? '' : `<saml:AttributeStatement>${statements.join('')}</saml:AttributeStatement>`,
    `${wish.inAssertion}</saml:Assertion>`,
  ].join('');
}

const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
const answered = (requestId: string | null): string => (requestId === null ? '' : ` InResponseTo="${requestId}"`);
const sessionIndex = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 16);
