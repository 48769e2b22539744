// An identity provider of SAML 2.0 on loopback, by another program than the one that reads its responses.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { inflateRawSync } from 'node:zlib';
import samlify from 'samlify';
import { close, listen } from '../http-server.mjs';

const { Constants, IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } = samlify;
const EMAIL = Constants.namespace.format.emailAddress;
const BASIC = 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic';

// The package requires a validator of schemas, and requests come from the service under test.
setSchemaValidator({ validate: () => Promise.resolve('valid') });

/**
 * Starts a provider that signs everybody in as one person. It reads the metadata of the service that sends a request,
 * and answers with a page that posts its response.
 *
 * @param {{ cert: string, key: string }} certificate
 */
export async function startSamlProvider({ cert, key }) {
  const person = { email: '', name: '', group: '' };
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  // Browsers treat another host name as another site, and another port as the same.
  const origin = (await listen(server)).replace('127.0.0.1', 'localhost');
  const provider = IdentityProvider({
    entityID: `${origin}/metadata`,
    signingCert: cert,
    privateKey: key,
    nameIDFormat: [EMAIL],
    singleSignOnService: [{ Binding: Constants.namespace.binding.redirect, Location: `${origin}/sso` }],
    // The package warns without one.
    singleLogoutService: [{ Binding: Constants.namespace.binding.redirect, Location: `${origin}/slo` }],
    loginResponseTemplate: {
      context: SamlLib.defaultLoginResponseTemplate.context.replace('{AuthnStatement}', authnStatement()),
      attributes: ['name', 'group'].map((name) => ({
        name,
        valueTag: name,
        nameFormat: BASIC,
        valueXsiType: 'xs:string',
      })),
    },
  });

  async function answer(request, response) {
    const url = new URL(request.url ?? '/', origin);
    if (url.pathname === '/metadata') return response.end(provider.getMetadata());
    if (url.pathname !== '/sso') return response.writeHead(404).end();
    const query = Object.fromEntries(url.searchParams);
    const metadata = await metadataOf(query.SAMLRequest);
    const service = ServiceProvider({ metadata, wantMessageSigned: true });
    const requested = await provider.parseLoginRequest(service, 'redirect', { query });
    const { context, entityEndpoint } = await provider.createLoginResponse(service, requested, 'post', person, {
      relayState: query.RelayState,
      customTagReplacement: (template) => filled(template, service, requested.extract.request.id),
    });
    const fields = [
      ['SAMLResponse', context],
      ['RelayState', query.RelayState],
    ].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
    const form = `<form method="post" action="${entityEndpoint}">${fields.join('')}</form>`;
    return response
      .setHeader('Content-Type', 'text/html')
      .end(`<!doctype html><title>Provider</title>${form}<script>document.forms[0].submit()</script>`);
  }

  function filled(template, service, requestId) {
    const id = `_${randomBytes(16).toString('hex')}`;
    const acs = service.entityMeta.getAssertionConsumerService('post');
    const at = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();
    const context = SamlLib.replaceTagsByValue(template, {
      ID: id,
      AssertionID: `_${randomBytes(16).toString('hex')}`,
      Destination: acs,
      Audience: service.entityMeta.getEntityID(),
      SubjectRecipient: acs,
      Issuer: provider.entityMeta.getEntityID(),
      IssueInstant: at(0),
      StatusCode: Constants.StatusCode.Success,
      ConditionsNotBefore: at(-30),
      ConditionsNotOnOrAfter: at(300),
      SubjectConfirmationDataNotOnOrAfter: at(300),
      NameIDFormat: EMAIL,
      NameID: person.email,
      InResponseTo: requestId,
      attrName: person.name,
      attrGroup: person.group,
    });
    return { id, context };
  }

  return {
    entityId: `${origin}/metadata`,
    signInUrl: `${origin}/sso`,
    person,
    close: () => close(server),
  };
}

/** Reads the metadata of the service that sent a request: its entity id is the address. */
async function metadataOf(encoded) {
  const request = inflateRawSync(Buffer.from(encoded, 'base64')).toString();
  const [, entityId] = /<saml:Issuer[^>]*>([^<]+)</.exec(request) ?? [];
  const answer = await fetch(entityId);
  return answer.text();
}

function authnStatement() {
  const context = 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password';
  return `<saml:AuthnStatement AuthnInstant="{IssueInstant}" SessionIndex="{AssertionID}"><saml:AuthnContext><saml:AuthnContextClassRef>${context}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
}
