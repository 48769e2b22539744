import { createHmac, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../../support/certificates.js';
import { EMAIL, type ResponseWish } from '../../support/saml-provider.js';
import { answer, begin, type Company, company, type Outcome, outcomeOf, post } from '../../support/saml-sign-in.js';
import { wrappedForms } from '../../support/saml-wrapping.js';
import { refusalsOf } from '../../support/sql-builders/sso-saml.js';

const FAILED = { status: 303, location: '/console/login?error=sso_failed', session: undefined };

/** Makes the text of a response to a request. */
type Forger = (of: Company, wish: Pick<ResponseWish, 'acs' | 'audience' | 'requestId' | 'attributes'>) => string;

/** A key that no connection has. */
const FOREIGN = makeCertificate({ names: ['idp.example.com'], keyType: 'rsa' });

let of: Company;

/** Returns the outcome of a sign-in and the reasons of the security events that it leaves. */
async function attempt(forger: Forger): Promise<{ outcome: Outcome; reasons: string[] }> {
  const begun = await begin(of.connectionId);
  const before = (await refusalsOf(of.connectionId)).length;
  const { acs, audience } = of;
  const xml = forger(of, { acs, audience, requestId: begun.requestId, attributes: { email: [of.newAddress()] } });
  const outcome = await answer(of, xml, begun);
  return { outcome, reasons: (await refusalsOf(of.connectionId)).slice(before) };
}

const changed =
  (change: Partial<ResponseWish>): Forger =>
  ({ provider }, wish) =>
    provider.signedResponse({ ...wish, ...change });

const altered =
  (alter: (xml: string) => string): Forger =>
  ({ provider }, wish) =>
    alter(provider.signedResponse(wish));

/** Replaces the signature value of all signatures by another. */
const resigned = (xml: string, from: string, to: string, sign: () => string): string =>
  xml.replaceAll(from, to).replaceAll(/(<ds:SignatureValue>)[^<]*/g, `$1${sign()}`);

beforeAll(async () => {
  of = await company();
});

describe('a response of SAML', () => {
  it('is taken when nothing of it was changed', async () => {
    const { outcome, reasons } = await attempt(changed({}));
    expect(outcome).toMatchObject({ status: 303, location: '/console' });
    expect(reasons).toEqual([]);
  });

  it.each(['XSW1', 'XSW2', 'XSW3', 'XSW4', 'XSW5', 'XSW6', 'XSW7', 'XSW8'])(
    'is refused when its signature is wrapped by %s',
    async (form) => {
      const { outcome, reasons } = await attempt(({ provider, newAddress }, wish) => {
        const id = `_${randomBytes(8).toString('hex')}`;
        const xml = provider.signedResponse(wish);
        const renew = (text: string): string => text.replace(/ ID="[^"]+"/, ` ID="${id}r"`);
        const forge = (text: string): string =>
          text.replace(/ ID="[^"]+"/, ` ID="${id}"`).replace(wish.attributes['email']?.[0] ?? '', newAddress());
        const forms = wrappedForms(xml, forge, renew);
        return forms[form] ?? '';
      });
      expect(outcome).toEqual(FAILED);
      expect(reasons).toEqual(['the response has not exactly one assertion']);
    },
  );

  it('is refused when a wrapped assertion keeps the ID of the signed one', async () => {
    const { outcome, reasons } = await attempt(({ provider, newAddress }, wish) => {
      const xml = provider.signedResponse(wish);
      const forge = (text: string): string => text.replace(wish.attributes['email']?.[0] ?? '', newAddress());
      return wrappedForms(xml, forge, (text) => text)['XSW2'] ?? '';
    });
    expect(outcome).toEqual(FAILED);
    expect(reasons).toHaveLength(1);
  });

  const WRONG_KEY = 'no certificate of the connection verifies the signature of the response';
  const NOT_ACCEPTED = 'the signature of the response has an algorithm that is not accepted';
  const MARKUP = 'the response holds a document type, a comment, CDATA or a processing instruction';
  const signatures: [title: string, forger: Forger, reason: string][] = [
    ['nothing is signed', ({ provider }, wish) => provider.response(wish), 'the response is not signed'],
    [
      'only the assertion is signed',
      ({ provider }, wish) => provider.sign(provider.response(wish), 'Assertion'),
      'the response is not signed',
    ],
    [
      'only the response is signed',
      ({ provider }, wish) => provider.sign(provider.response(wish), 'Response'),
      'the assertion is not signed',
    ],
    ['another key signed it', ({ provider }, wish) => provider.signedResponse(wish, { key: FOREIGN.key }), WRONG_KEY],
    [
      'another key signed the assertion',
      ({ provider }, wish) =>
        provider.sign(provider.sign(provider.response(wish), 'Assertion', { key: FOREIGN.key }), 'Response'),
      'no certificate of the connection verifies the signature of the assertion',
    ],
    [
      'it is signed with SHA-1',
      ({ provider }, wish) => provider.signedResponse(wish, { algorithm: 'rsa-sha1' }),
      NOT_ACCEPTED,
    ],
    [
      'its digests are SHA-1',
      ({ provider }, wish) => provider.signedResponse(wish, { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
      NOT_ACCEPTED,
    ],
    [
      'it is signed with the certificate as the key of an HMAC',
      ({ provider }, wish) => provider.signedResponse(wish, { algorithm: 'hmac-sha1', key: provider.rsa.cert }),
      NOT_ACCEPTED,
    ],
    [
      'its algorithm is none',
      altered((xml) => resigned(xml, 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'none', () => '')),
      NOT_ACCEPTED,
    ],
    [
      'an HMAC is named as RSA',
      ({ provider }, wish) =>
        resigned(provider.signedResponse(wish), 'x-none', 'x-none', () =>
          createHmac('sha256', provider.rsa.cert).update(wish.acs).digest('base64'),
        ),
      WRONG_KEY,
    ],
    [
      'the address was changed after the signature',
      (company_, wish) =>
        company_.provider.signedResponse(wish).replace(wish.attributes['email']?.[0] ?? '', company_.newAddress()),
      WRONG_KEY,
    ],
    [
      'a transform leaves parts out of the signature',
      altered((xml) =>
        xml.replaceAll(
          /<ds:Transform Algorithm="http:\/\/www.w3.org\/2001\/10\/xml-exc-c14n#"\/?>(<\/ds:Transform>)?/g,
          '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"/>',
        ),
      ),
      'the signature of the response has an unknown form',
    ],
    [
      'its signature covers the assertion only',
      ({ provider }, wish) => {
        const xml = provider.signedResponse({ ...wish, assertionId: '_assertion', responseId: '_response' });
        return xml.replace('URI="#_response"', 'URI="#_assertion"');
      },
      'the signature of the response covers another element',
    ],
    ['a comment cuts the NameID', altered((xml) => xml.replace(/(<saml:NameID[^>]*>[^<]{3})/, '$1<!---->')), MARKUP],
    [
      'a comment cuts the address',
      ({ provider, newAddress }, wish) =>
        provider
          .signedResponse({ ...wish, attributes: { email: [`${newAddress()}.evil.example.net`] } })
          .replace('.evil', '<!---->.evil'),
      MARKUP,
    ],
    [
      'it has CDATA in the NameID',
      altered((xml) => xml.replace(/(<saml:NameID[^>]*>)([^<]*)/, '$1<![CDATA[$2]]>')),
      MARKUP,
    ],
    [
      'it has a processing instruction',
      altered((xml) => xml.replace('<samlp:Status>', '<?x y?><samlp:Status>')),
      MARKUP,
    ],
    [
      'it has a document type with entities',
      altered((xml) => {
        const entities = Array.from(
          { length: 9 },
          (_, depth) => `<!ENTITY e${depth + 1} "${`&e${depth};`.repeat(10)}">`,
        ).join('');
        return `<!DOCTYPE r [<!ENTITY e0 "boom">${entities}]>${xml}`.replace(/(<saml:NameID[^>]*>)/, '$1&e9;');
      }),
      MARKUP,
    ],
    ['it names an external entity', altered((xml) => `<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd">${xml}`), MARKUP],
    [
      'it uses an entity that nothing declares',
      altered((xml) => xml.replace(/(<saml:NameID[^>]*>)/, '$1&xxe;')),
      'the response holds an entity, or characters that XML does not have',
    ],
    [
      'it has two assertions',
      ({ provider, newAddress }, wish) => {
        const other = provider.response({ ...wish, attributes: { email: [newAddress()] } });
        const [second = ''] = /<saml:Assertion .*<\/saml:Assertion>/s.exec(other) ?? [];
        return provider.sign(
          provider.sign(provider.response({ ...wish, inResponse: second }), 'Assertion'),
          'Response',
        );
      },
      'the response has not exactly one assertion',
    ],
    [
      'it has no assertion',
      ({ provider }, wish) =>
        provider.sign(provider.response(wish).replace(/<saml:Assertion .*<\/saml:Assertion>/s, ''), 'Response'),
      'the response has not exactly one assertion',
    ],
    [
      'its assertion is encrypted junk',
      altered((xml) =>
        xml.replace(
          /<saml:Assertion .*<\/saml:Assertion>/s,
          '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">junk</saml:EncryptedAssertion>',
        ),
      ),
      'the response is encrypted, which is not supported',
    ],
    ['it is no XML', () => 'junk', 'the response is not well-formed XML'],
    ['it is another document', () => '<html></html>', 'the document is no SAML response'],
    ['it is empty', () => '', 'the response is not base64'],
    [
      'it is 1 MB',
      altered((xml) => xml.replace('<samlp:Status>', `${' '.repeat(1_000_000)}<samlp:Status>`)),
      'the response is longer than 262144 characters',
    ],
    [
      'it is nested deeply',
      altered((xml) => xml.replace('<samlp:Status>', `${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}<samlp:Status>`)),
      'the response is nested deeper than 32 elements',
    ],
    [
      'it has thousands of elements',
      altered((xml) => xml.replace('<samlp:Status>', `${'<a/>'.repeat(20_000)}<samlp:Status>`)),
      'the response has more than 1500 elements',
    ],
    [
      'it has thousands of attributes',
      altered((xml) => {
        const attributes = Array.from({ length: 30 }, (_, index) => `a${index}=""`).join(' ');
        return xml.replace('<samlp:Status>', `${`<a ${attributes}/>`.repeat(500)}<samlp:Status>`);
      }),
      'the response has more than 4500 attributes',
    ],
    [
      'it declares thousands of namespaces',
      altered((xml) => {
        const spaces = Array.from({ length: 30 }, (_, index) => `xmlns:n${index}="u:${index}"`).join(' ');
        return xml.replace('<samlp:Status>', `${`<a ${spaces}/>`.repeat(100)}<samlp:Status>`);
      }),
      'the response declares more than 2500 namespaces',
    ],
  ];

  it.each(signatures)('is refused when %s', async (_, forger, reason) => {
    expect(await attempt(forger)).toEqual({ outcome: FAILED, reasons: [reason] });
  });

  const contents: [title: string, change: Partial<ResponseWish>, reason: string][] = [
    ['is for another audience', { audience: 'https://sp.example.com' }, 'the assertion is for another audience'],
    ['is for another recipient', { recipient: 'https://sp.example.com/acs' }, 'the assertion is for another recipient'],
    [
      'is sent to another address',
      { destination: 'https://sp.example.com/acs' },
      'the response is for another address',
    ],
    ['is of another issuer', { issuer: 'https://other.example.com' }, 'the response is of another issuer'],
    [
      'has an assertion of another issuer',
      { assertionIssuer: 'https://other.example.com' },
      'the response is of another issuer',
    ],
    ['answers another request', { requestId: '_other' }, 'the response answers another request'],
    ['answers no request', { requestId: null, confirmedRequestId: null }, 'the response answers another request'],
    ['confirms another request', { confirmedRequestId: '_other' }, 'the response answers another request'],
    ['expired 70 seconds ago', { notOnOrAfter: -70 }, 'the assertion has expired'],
    ['was confirmed until 70 seconds ago', { confirmedUntil: -70 }, 'the assertion has expired'],
    ['begins in 70 seconds', { notBefore: 70 }, 'the assertion is not yet valid'],
    ['was issued in the future', { issuedAt: 70 }, 'the assertion is not yet valid'],
    [
      'was issued 12 minutes ago',
      { issuedAt: -720, notOnOrAfter: 3600, confirmedUntil: 3600 },
      'the assertion has expired',
    ],
    ['has a NameID of 10,000 characters', { nameId: 'x'.repeat(10_000) }, 'the NameID has not 1 to 512 characters'],
    ['has no NameID', { nameId: '' }, 'the NameID has not 1 to 512 characters'],
    [
      'has a transient NameID',
      { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
      'the NameID names the person for one sign-in only',
    ],
    [
      'has a NameID with elements',
      { nameId: '<saml:x>ann</saml:x>' },
      'the response has elements where it may only have text',
    ],
    [
      'has two different addresses',
      { attributes: { email: ['ann@example.com', 'bob@example.com'] } },
      'the assertion has more than one address',
    ],
    [
      'has an address that is none',
      { attributes: { email: ['ann@@example.com'] } },
      'the assertion has a malformed address',
    ],
    [
      'has an address that is not one',
      { nameIdFormat: EMAIL, nameId: 'ann', attributes: {} },
      'the assertion has a malformed address',
    ],
    [
      'has a person in 1,001 groups',
      { attributes: { groups: Array.from({ length: 1_001 }, (_, index) => `g${index}`) } },
      'the person is in more than 1000 groups',
    ],
    [
      'has another status',
      { status: 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed' },
      'the provider answered with AuthnFailed',
    ],
    [
      'has another assertion as advice',
      { inAssertion: '<saml:Advice><saml:Assertion ID="_a"/></saml:Advice>' },
      'the response has not exactly one assertion',
    ],
  ];

  it.each(contents)('is refused when it %s', async (_, change, reason) => {
    expect(await attempt(changed(change))).toEqual({ outcome: FAILED, reasons: [reason] });
  });

  it.each([
    ['expired 50 seconds ago', { notOnOrAfter: -50, confirmedUntil: -50 }],
    ['begins in 50 seconds', { notBefore: 50, issuedAt: 50 }],
  ])('is taken when it %s, because clocks differ', async (_, change) => {
    expect((await attempt(changed(change))).outcome.location).toBe('/console');
  });

  it('is refused with 413 when the form is larger than 2 MiB', async () => {
    const { relayState, cookie } = await begin(of.connectionId);
    const form = { SAMLResponse: 'A'.repeat(2_100_000), RelayState: relayState };
    expect((await post(of.acs, form, cookie)).status).toBe(413);
  });

  it.each([
    ['of signs', '%%%'],
    ['of half a million blanks and a sign', `${' '.repeat(500_000)}%`],
  ])('is refused when it is no base64 but a text %s', async (_, text) => {
    const { relayState, cookie } = await begin(of.connectionId);
    const outcome = outcomeOf(await post(of.acs, { SAMLResponse: text, RelayState: relayState }, cookie));
    expect(outcome).toEqual(FAILED);
  });
});

describe('a response that comes again', () => {
  const idpInitiated = (company_: Company): string =>
    company_.provider.signedResponse({
      ...company_,
      requestId: null,
      attributes: { email: [company_.newAddress()] },
    });

  it('is refused, because its sign-in has ended', async () => {
    const begun = await begin(of.connectionId);
    const attributes = { email: [of.newAddress()] };
    const xml = of.provider.signedResponse({ ...of, requestId: begun.requestId, attributes });
    expect((await answer(of, xml, begun)).location).toBe('/console');
    expect((await answer(of, xml, begun)).location).toBe('/console/login?error=sso_expired');
  });

  it('is refused when the provider began the sign-in', async () => {
    const open = await company({ allowsIdpInitiated: true });
    const xml = idpInitiated(open);
    expect((await answer(open, xml, {})).location).toBe('/console');
    expect(await answer(open, xml, {})).toEqual(FAILED);
    expect(await refusalsOf(open.connectionId)).toEqual(['the assertion was used before']);
  });

  it('wins once when it comes eight times at once', async () => {
    const open = await company({ allowsIdpInitiated: true });
    const xml = idpInitiated(open);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => answer(open, xml, {})));
    expect(outcomes.filter(({ location }) => location === '/console')).toHaveLength(1);
    expect(outcomes.filter(({ session }) => session !== undefined)).toHaveLength(1);
    expect(await refusalsOf(open.connectionId)).toHaveLength(7);
  });

  it('is refused for the sign-in of another browser', async () => {
    const victim = await begin(of.connectionId);
    const attacker = await begin(of.connectionId);
    const attributes = { email: [of.newAddress()] };
    const xml = of.provider.signedResponse({ ...of, requestId: attacker.requestId, attributes });
    expect(await answer(of, xml, { ...victim, relayState: attacker.relayState })).toEqual(FAILED);
    expect((await refusalsOf(of.connectionId)).at(-1)).toBe('the sign-in began in another browser');
    const own = await begin(of.connectionId);
    expect(await answer(of, xml, own)).toEqual(FAILED);
    expect((await refusalsOf(of.connectionId)).at(-1)).toBe('the response answers another request');
  });

  it('is refused at another connection, even with the same certificate', async () => {
    const other = await company({
      organizationId: of.tenant.organizationId,
      entityId: of.provider.entityId,
      certificates: [of.provider.rsa.cert],
    });
    const begun = await begin(other.connectionId);
    const attributes = { email: [of.newAddress()] };
    const xml = of.provider.signedResponse({ ...of, requestId: begun.requestId, attributes });
    expect(await answer(other, xml, begun)).toEqual(FAILED);
    expect(await refusalsOf(other.connectionId)).toEqual(['the response is for another address']);
  });

  it('is refused when the sign-in began with another connection', async () => {
    const other = await company();
    const begun = await begin(other.connectionId);
    const attributes = { email: [of.newAddress()] };
    const xml = of.provider.signedResponse({ ...of, requestId: begun.requestId, attributes });
    expect(await answer(of, xml, begun)).toEqual(FAILED);
    expect((await refusalsOf(of.connectionId)).at(-1)).toBe('the sign-in began with another provider');
  });
});
