import type { Examples } from './example.js';

const CONNECTION = '019cadc6-9a80-7601-8000-000000000001';
const OWN = `https://api.acme.example/sso/saml/${CONNECTION}`;

/** Written by hand, because recordings have only the operations of the public document. */
export const EXAMPLES: Examples = {
  getSamlMetadata: {
    parameters: { connection_id: CONNECTION },
    answer: {
      type: 'application/samlmetadata+xml',
      value: `<?xml version="1.0"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${OWN}/metadata">
  <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" AuthnRequestsSigned="false" WantAssertionsSigned="true">
    <AssertionConsumerService index="1" isDefault="true" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${OWN}/acs"/>
  </SPSSODescriptor>
</EntityDescriptor>
`,
    },
  },
  startSamlSignIn: {
    parameters: { connection_id: CONNECTION, return_to: '/console/o/acme' },
  },
  takeSamlResponse: {
    parameters: { connection_id: CONNECTION },
    request: {
      type: 'application/x-www-form-urlencoded',
      value: {
        SAMLResponse: 'PHNhbWxwOlJlc3BvbnNlLz4=',
        RelayState: 'Example-relay-state-0000000000000000000000a',
      },
    },
    answer: {
      type: 'text/html',
      value:
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Signing in</title></head>\n<body>…</body>\n</html>\n',
    },
  },
};
