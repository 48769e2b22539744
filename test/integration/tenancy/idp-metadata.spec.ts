import { describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../../support/certificates.js';
import {
  MAX_METADATA_LENGTH,
  MetadataFault,
  settingsFromMetadata,
} from '../../../src/modules/tenancy/sso/saml/idp-metadata.js';

const first = makeCertificate({ names: ['idp.example.com'] }).cert;
const second = makeCertificate({ names: ['idp.example.com'] }).cert;

const base64Of = (pem: string): string => pem.replaceAll(/-----[^-]+-----|\n/g, '');

function key(pem: string, use = ' use="signing"'): string {
  const data = `<ds:X509Data><ds:X509Certificate>\n  ${base64Of(pem)}\n</ds:X509Certificate></ds:X509Data>`;
  return `<KeyDescriptor${use}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${data}</ds:KeyInfo></KeyDescriptor>`;
}

interface Wish {
  readonly id?: string;
  readonly keys?: string;
  readonly services?: string;
}

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const service = (binding: string, location: string): string =>
  `<SingleSignOnService Binding="${binding}" Location="${location}"/>`;

function entity({
  id = 'https://idp.example.com/metadata',
  keys = key(first),
  services = service(POST, 'https://idp.example.com/post') +
    service(REDIRECT, 'https://idp.example.com/sso?a=1&amp;b=2'),
}: Wish = {}): string {
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${id}"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys}${services}</IDPSSODescriptor></EntityDescriptor>`;
}

function faultOf(xml: string): string {
  try {
    settingsFromMetadata(xml);
  } catch (error) {
    if (error instanceof MetadataFault) return error.message;
    throw error;
  }
  return 'none';
}

describe('the reader of the metadata of an identity provider', () => {
  it('returns its entity id, its address of the redirect binding and its signing certificates', () => {
    const xml = `\uFEFF<?xml version="1.0" encoding="UTF-8"?>\r\n<!-- made by hand -->\n${entity()}\n`;
    expect(settingsFromMetadata(xml)).toEqual({
      entity_id: 'https://idp.example.com/metadata',
      sign_in_url: 'https://idp.example.com/sso?a=1&b=2',
      certificates: [`${first.trim()}\n`],
    });
  });

  it('returns each certificate once, without those for encryption, and with those that have no use', () => {
    const keys = key(first) + key(first, '') + key(second, ' use="encryption"');
    expect(settingsFromMetadata(entity({ keys })).certificates).toEqual([first]);
    expect(settingsFromMetadata(entity({ keys: key(first) + key(second, '') })).certificates).toEqual([first, second]);
  });

  it('finds the only identity provider of a federation', () => {
    const other = '<EntityDescriptor entityID="https://sp.example.com"><SPSSODescriptor/></EntityDescriptor>';
    const wrapped = (inner: string): string =>
      `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${inner}</md:EntitiesDescriptor>`;
    expect(settingsFromMetadata(wrapped(other + entity())).entity_id).toBe('https://idp.example.com/metadata');
    expect(faultOf(wrapped(entity() + entity()))).toBe('The metadata describes more than one identity provider');
    expect(faultOf(wrapped(other))).toBe('The metadata describes no SAML 2.0 identity provider');
  });

  it.each([
    ['text', 'no XML', 'The metadata is not well-formed XML'],
    ['nothing', '', 'The metadata is not well-formed XML'],
    ['another document', '<html/>', 'The metadata describes no SAML 2.0 identity provider'],
    ['unequal tags', '<a></b>', 'The metadata is not well-formed XML'],
    ['two roots', '<a/><b/>', 'The metadata is not well-formed XML'],
    ['a prefix without a namespace', '<a:b/>', 'The metadata has a prefix without a namespace'],
    ['an attribute twice', '<a b="1" b="2"/>', 'The metadata is not well-formed XML'],
    [
      'entities',
      '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
      'The metadata holds a document type, a comment, CDATA or a processing instruction',
    ],
    ['an unknown entity', '<a>&b;</a>', 'The metadata holds an entity, or characters that XML does not have'],
    ['a control character', '<a>\u0001</a>', 'The metadata holds characters that XML does not have'],
    ['another encoding', '<?xml version="1.0" encoding="UTF-16"?><a/>', 'The metadata is not in UTF-8'],
    ['deep nesting', '<a>'.repeat(100) + '</a>'.repeat(100), 'The metadata is nested deeper than 32 elements'],
    ['many elements', `<a>${'<b/>'.repeat(3_001)}</a>`, 'The metadata has more than 1500 elements'],
    [
      'too much',
      ' '.repeat(10) + `<a>${'x'.repeat(MAX_METADATA_LENGTH)}</a>`,
      'The metadata is longer than 262144 characters',
    ],
    ['no entity id', entity({ id: '' }), 'The metadata has no entityID of 1 to 1024 characters'],
    ['no certificate', entity({ keys: '' }), 'The metadata has no signing certificate'],
    [
      'a broken certificate',
      entity({ keys: key(Buffer.from('no certificate').toString('base64')) }),
      'The metadata has a signing certificate that cannot be read',
    ],
    [
      'a sign-in address of another binding only',
      entity({ services: service(POST, 'https://idp.example.com/post') }),
      'The metadata has no sign-in address for the HTTP-Redirect binding',
    ],
    [
      'a sign-in address that is a script',
      entity({ services: service(REDIRECT, 'javascript:alert(1)') }),
      'The metadata has no sign-in address for the HTTP-Redirect binding',
    ],
  ])('refuses %s with one sentence', (_, xml, sentence) => {
    expect(faultOf(xml)).toBe(sentence);
  });
});
