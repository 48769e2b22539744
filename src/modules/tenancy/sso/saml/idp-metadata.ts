import { X509Certificate } from 'node:crypto';
import { METADATA, PROTOCOL, REDIRECT_BINDING, SIGNATURE } from './names.js';
import { childrenOf, elementsOf, parseXml, type XmlElement, XmlFault } from './xml.js';

/** The settings of a connection that are read from the metadata of an identity provider. */
export interface MetadataSettings {
  readonly entity_id: string;
  /** The sign-in URL of the redirect binding. */
  readonly sign_in_url: string;
  /** The certificates in PEM, without duplicates. */
  readonly certificates: readonly string[];
}

/** The metadata has no usable settings. The message is a sentence for the person who entered it. */
export class MetadataFault extends Error {}

/** Longer metadata is refused. The metadata of one provider takes 5 to 30 KiB. */
export const MAX_METADATA_LENGTH = 256 * 1024;
/** Metadata with more signing certificates is refused. A provider that rotates its key has two. */
const MAX_METADATA_CERTIFICATES = 10;
const MAX_ENTITY_ID_LENGTH = 1024;
const MAX_URL_LENGTH = 2048;

/**
 * Reads the settings of a connection from the metadata document of an identity provider. The signature of the document
 * is not verified, because its key is in the document itself. The person who enters it is responsible for its origin.
 *
 * @throws MetadataFault
 */
export function settingsFromMetadata(xml: string): MetadataSettings {
  const root = parsed(xml);
  const entities = [...elementsOf(root)].filter(
    (each) => isOf(each, 'EntityDescriptor') && providersOf(each).length > 0,
  );
  const [entity, second] = entities;
  if (entity === undefined) throw new MetadataFault('The metadata describes no SAML 2.0 identity provider');
  if (second !== undefined || providersOf(entity).length > 1) {
    throw new MetadataFault('The metadata describes more than one identity provider');
  }
  const provider = providersOf(entity)[0] as XmlElement;
  return { entity_id: entityIdOf(entity), sign_in_url: signInUrlOf(provider), certificates: certificatesOf(provider) };
}

function parsed(xml: string): XmlElement {
  try {
    return parseXml(xml.trim(), { maxLength: MAX_METADATA_LENGTH, skipsComments: true });
  } catch (error) {
    if (error instanceof XmlFault) throw new MetadataFault(`The metadata ${error.message}`);
    throw error;
  }
}

function isOf(element: XmlElement, name: string): boolean {
  return element.name === name && element.namespace === METADATA;
}

function providersOf(entity: XmlElement): readonly XmlElement[] {
  return childrenOf(entity, METADATA, 'IDPSSODescriptor').filter(({ attributes }) =>
    (attributes.get('protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL),
  );
}

function entityIdOf(entity: XmlElement): string {
  const id = entity.attributes.get('entityID') ?? '';
  if (id === '' || id.length > MAX_ENTITY_ID_LENGTH) {
    throw new MetadataFault(`The metadata has no entityID of 1 to ${MAX_ENTITY_ID_LENGTH} characters`);
  }
  return id;
}

function signInUrlOf(provider: XmlElement): string {
  const service = childrenOf(provider, METADATA, 'SingleSignOnService').find(
    ({ attributes }) => attributes.get('Binding') === REDIRECT_BINDING,
  );
  const location = service?.attributes.get('Location') ?? '';
  const url = URL.canParse(location) ? new URL(location) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || location.length > MAX_URL_LENGTH) {
    throw new MetadataFault('The metadata has no sign-in address for the HTTP-Redirect binding');
  }
  return location;
}

function certificatesOf(provider: XmlElement): string[] {
  const keys = childrenOf(provider, METADATA, 'KeyDescriptor').filter(
    ({ attributes }) => (attributes.get('use') ?? 'signing') === 'signing',
  );
  const found = keys
    .flatMap((key) => [...elementsOf(key)])
    .filter(({ name, namespace }) => name === 'X509Certificate' && namespace === SIGNATURE)
    .map(({ text }) => pemOf(text));
  const certificates = [...new Set(found)];
  if (certificates.length === 0) throw new MetadataFault('The metadata has no signing certificate');
  if (certificates.length > MAX_METADATA_CERTIFICATES) {
    throw new MetadataFault(`The metadata has more than ${MAX_METADATA_CERTIFICATES} signing certificates`);
  }
  return certificates;
}

/** Returns a certificate in PEM from the base64 of its DER. */
function pemOf(base64: string): string {
  try {
    return new X509Certificate(Buffer.from(base64.replaceAll(/\s+/g, ''), 'base64')).toString();
  } catch {
    throw new MetadataFault('The metadata has a signing certificate that cannot be read');
  }
}
