import type { KeyObject } from 'node:crypto';
import { ASSERTION, PROTOCOL, SIGNATURE } from './names.js';
import { SamlFault } from './saml-fault.js';
import {
  ENVELOPED,
  isCanonicalization,
  isDigestAlgorithm,
  isSignatureAlgorithm,
  signatureReader,
  signingKeysOf,
} from './signature-algorithms.js';
import { childrenOf, elementsOf, parseXml, type XmlElement, XmlFault } from './xml.js';

/** Longer responses are refused. A response with 1,000 groups takes 100 to 200 KiB. */
const MAX_RESPONSE_LENGTH = 256 * 1024;

const ID = /^[A-Za-z_][\w.-]{0,255}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const ENCRYPTED = ['EncryptedAssertion', 'EncryptedID', 'EncryptedAttribute'];

/** The signed parts of a response. They are read only from the text that the identity provider has signed. */
export interface SignedResponse {
  readonly response: XmlElement;
  readonly assertion: XmlElement;
  /** The canonical text of the assertion, without its signature. */
  readonly assertionXml: string;
}

/** A node of the library's document. The library's own types need browser types, which this project does not load. */
interface Node {
  readonly localName?: string;
  readonly namespaceURI?: string | null;
  readonly textContent?: string | null;
  getAttribute(name: string): string | null;
  readonly childNodes: { readonly length: number; item(index: number): Node | null };
}

/**
 * Reads a response that is signed as a whole, and whose only assertion is signed too. Before the signatures are
 * verified, every document is refused in which a signature could cover other elements than those that are read.
 *
 * @param encoded the base64 of the response
 * @throws SamlFault
 */
export async function readSignedResponse(encoded: string, certificates: readonly string[]): Promise<SignedResponse> {
  const xml = textOf(encoded);
  const root = parsed(xml);
  requireSuccess(root);
  const assertion = requireShape(root);
  requireSignature(root, 'response');
  requireSignature(assertion, 'assertion');
  const keys = signingKeysOf(certificates);
  if (keys.length === 0) throw new SamlFault('the connection has no usable certificate');
  const dom = await domOf(xml);
  const own = childOf(dom, ASSERTION, 'Assertion');
  // Both signatures are first checked against the keys. Canonicalizing the whole document costs a hundred times as
  // much.
  await requireKey(dom, 'response', keys);
  await requireKey(own, 'assertion', keys);
  const response = parsed(await signedText(dom, 'response', xml, keys));
  const assertionXml = await signedText(own, 'assertion', xml, keys);
  const verified = { response, assertion: parsed(assertionXml), assertionXml };
  requireSameParts(verified, root, assertion);
  return verified;
}

async function domOf(xml: string): Promise<Node> {
  const { parseDomFromString } = await import('@node-saml/node-saml/lib/xml.js');
  try {
    return ((await parseDomFromString(xml)) as unknown as { documentElement: Node }).documentElement;
  } catch {
    throw new SamlFault('the response is not well-formed XML');
  }
}

/**
 * Checks that one of the keys has made the signature of an element. Does not check that the signature covers the
 * element.
 */
async function requireKey(element: Node, name: string, keys: readonly KeyObject[]): Promise<void> {
  const signature = childOf(element, SIGNATURE, 'Signature');
  const info = childOf(signature, SIGNATURE, 'SignedInfo');
  const reader = await signatureReader(keys);
  const algorithm = (of: string): string => childOf(info, SIGNATURE, of).getAttribute('Algorithm') ?? '';
  const Canonicalization = reader.CanonicalizationAlgorithms[algorithm('CanonicalizationMethod')];
  const Signature = reader.SignatureAlgorithms[algorithm('SignatureMethod')];
  if (Canonicalization === undefined || Signature === undefined) throw unverified(name);
  const text = new Canonicalization().process(info, {}) as string;
  const value = childOf(signature, SIGNATURE, 'SignatureValue').textContent ?? '';
  if (!new Signature().verifySignature(text, '', value)) throw unverified(name);
}

/** Returns the canonical text of an element as it was signed, without its signature. */
async function signedText(element: Node, name: string, xml: string, keys: readonly KeyObject[]): Promise<string> {
  const reader = await signatureReader(keys);
  try {
    reader.loadSignature(childOf(element, SIGNATURE, 'Signature'));
    const isValid = reader.checkSignature(xml);
    const [text, second] = reader.getSignedReferences();
    if (isValid && text !== undefined && second === undefined) return text;
  } catch {
    // The library throws for wrong signatures and for documents that it cannot read.
  }
  throw unverified(name);
}

function unverified(name: string): SamlFault {
  return new SamlFault(`no certificate of the connection verifies the signature of the ${name}`);
}

function textOf(encoded: string): string {
  if (encoded.length > MAX_RESPONSE_LENGTH * 2)
    throw new SamlFault(`the response is longer than ${MAX_RESPONSE_LENGTH} characters`);
  const digits = encoded.replaceAll(/\s+/g, '');
  if (!BASE64.test(digits)) throw new SamlFault('the response is not base64');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(digits, 'base64'));
    return text.replaceAll(/\r\n?/g, '\n');
  } catch {
    throw new SamlFault('the response is not in UTF-8');
  }
}

function parsed(xml: string): XmlElement {
  try {
    return parseXml(xml, { maxLength: MAX_RESPONSE_LENGTH });
  } catch (error) {
    throw error instanceof XmlFault ? new SamlFault(`the response ${error.message}`) : error;
  }
}

/** Checks the status before the signatures, because many providers do not sign error responses. */
function requireSuccess(root: XmlElement): void {
  if (root.name !== 'Response' || root.namespace !== PROTOCOL) throw new SamlFault('the document is no SAML response');
  const codes = childrenOf(root, PROTOCOL, 'Status').flatMap((status) => childrenOf(status, PROTOCOL, 'StatusCode'));
  const code = codes[0]?.attributes.get('Value') ?? '';
  if (codes.length !== 1) throw new SamlFault('the response has not one status');
  if (code === SUCCESS) return;
  const word = /:([A-Za-z]{1,40})$/.exec(code)?.[1] ?? 'an unknown status';
  throw new SamlFault(`the provider answered with ${word}`);
}

/** Checks the structure of the response. @returns its only assertion */
function requireShape(root: XmlElement): XmlElement {
  const all = [...elementsOf(root)];
  if (all.some(({ name }) => ENCRYPTED.includes(name)))
    throw new SamlFault('the response is encrypted, which is not supported');
  const named = (name: string): XmlElement[] => all.filter((each) => each.name === name);
  const [assertion] = childrenOf(root, ASSERTION, 'Assertion');
  if (assertion === undefined || named('Assertion').length !== 1)
    throw new SamlFault('the response has not exactly one assertion');
  if (named('Response').length !== 1) throw new SamlFault('the response holds another response');
  const allowed = [
    [ASSERTION, 'Issuer'],
    [SIGNATURE, 'Signature'],
    [PROTOCOL, 'Extensions'],
    [PROTOCOL, 'Status'],
    [ASSERTION, 'Assertion'],
  ];
  const isKnown = ({ namespace, name }: XmlElement): boolean =>
    allowed.some(([ns, each]) => ns === namespace && each === name);
  if (!root.children.every(isKnown)) throw new SamlFault('the response holds an unknown element');
  if (childrenOf(root, SIGNATURE, 'Signature').length === 0) throw new SamlFault('the response is not signed');
  if (childrenOf(assertion, SIGNATURE, 'Signature').length === 0) throw new SamlFault('the assertion is not signed');
  if (named('Signature').length !== 2)
    throw new SamlFault('the response has not exactly one signature of its own and one of its assertion');
  const ids = all.flatMap(({ attributes }) =>
    [...attributes].filter(([name]) => /^(?:\{.*\})?id$/i.test(name)).map(([, id]) => id),
  );
  if (new Set(ids).size < ids.length) throw new SamlFault('two elements of the response have the same ID');
  return assertion;
}

/**
 * Checks that the signature uses accepted algorithms, and that its only reference is to the element that contains it.
 */
function requireSignature(element: XmlElement, name: string): void {
  const [signature] = childrenOf(element, SIGNATURE, 'Signature');
  const malformed = new SamlFault(`the signature of the ${name} has an unknown form`);
  if (signature === undefined) throw malformed;
  const [info, value, keyInfo] = signature.children;
  requireNames(
    signature,
    keyInfo === undefined ? ['SignedInfo', 'SignatureValue'] : ['SignedInfo', 'SignatureValue', 'KeyInfo'],
    malformed,
  );
  if (info === undefined || value?.children.length !== 0) throw malformed;
  requireNames(info, ['CanonicalizationMethod', 'SignatureMethod', 'Reference'], malformed);
  const [canonicalization, method, reference] = info.children as [XmlElement, XmlElement, XmlElement];
  requireNames(reference, ['Transforms', 'DigestMethod', 'DigestValue'], malformed);
  const [transforms, digest] = reference.children as [XmlElement, XmlElement, XmlElement];
  const [first, second, third] = transforms.children.map(algorithmOf);
  if (first !== ENVELOPED || (second !== undefined && !isCanonicalization(second)) || third !== undefined)
    throw malformed;
  if (!isCanonicalization(algorithmOf(canonicalization)) || canonicalization.children.length > 0) throw malformed;
  if (!isSignatureAlgorithm(algorithmOf(method)) || !isDigestAlgorithm(algorithmOf(digest))) {
    throw new SamlFault(`the signature of the ${name} has an algorithm that is not accepted`);
  }
  const id = element.attributes.get('ID') ?? '';
  if (!ID.test(id) || reference.attributes.get('URI') !== `#${id}`) {
    throw new SamlFault(`the signature of the ${name} covers another element`);
  }
}

function requireNames({ children }: XmlElement, names: readonly string[], fault: SamlFault): void {
  const isExact =
    children.length === names.length &&
    children.every(({ namespace, name }, index) => namespace === SIGNATURE && name === names[index]);
  if (!isExact) throw fault;
}

function algorithmOf({ attributes }: XmlElement): string {
  return attributes.get('Algorithm') ?? '';
}

/** Checks that the signed texts belong to the two elements of the document. */
function requireSameParts({ response, assertion }: SignedResponse, root: XmlElement, own: XmlElement): void {
  const isSame = (a: XmlElement, b: XmlElement): boolean =>
    a.name === b.name && a.namespace === b.namespace && a.attributes.get('ID') === b.attributes.get('ID');
  const within = childrenOf(response, ASSERTION, 'Assertion');
  const isWhole = within.length === 1 && within.every((each) => isSame(each, assertion));
  if (!isSame(response, root) || !isSame(assertion, own) || !isWhole)
    throw new SamlFault('a signature covers another element');
}

function childOf(node: Node, namespace: string, name: string): Node {
  for (let index = 0; index < node.childNodes.length; index += 1) {
    const child = node.childNodes.item(index);
    if (child !== null && child.localName === name && child.namespaceURI === namespace) return child;
  }
  throw new SamlFault('the response is not well-formed XML');
}
