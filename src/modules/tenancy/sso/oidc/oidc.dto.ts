import {
  BooleanField,
  EmailField,
  EnumField,
  ListField,
  nested,
  TextField,
} from '../../../../platform/http/validation/index.js';
import { SSO_PROTOCOLS, type SsoProtocol } from '../sso-connection.entity.js';

const MAX_RETURN_TO = 2_000;

export class SsoProviderResponse {
  @TextField({ example: 'acme', description: 'Name of the provider in addresses' })
  name!: string;

  @TextField({ example: 'Acme', description: "Text of the provider's button" })
  label!: string;

  @TextField({ nullable: true, description: 'Image of the button as a data: URL. Null: none' })
  icon!: string | null;

  @TextField({ example: '/sso/oidc/acme/start', description: 'Path to send the browser to' })
  start_url!: string;
}

export class SsoProvidersResponse {
  @ListField(nested(() => SsoProviderResponse), { description: 'In the order of their names' })
  providers!: SsoProviderResponse[];

  @BooleanField({
    example: true,
    description: 'Whether any organization has a provider of its own, which POST /sso/discover finds by an address',
  })
  by_address!: boolean;
}

export class DiscoverSsoRequest {
  @EmailField({ example: 'ada@example.com', description: 'Only the domain is looked up' })
  email!: string;
}

export class SsoStartResponse {
  @TextField({ example: 'Acme', description: 'What the organization calls its provider' })
  label!: string;

  @EnumField(SSO_PROTOCOLS, { description: 'How the provider is spoken to' })
  protocol!: SsoProtocol;

  @TextField({
    example: '/sso/oidc/0192d3a4-7c00-7000-8000-000000000001/start',
    description: 'Path to send the browser to',
  })
  start_url!: string;
}

export class CompanyProvidersResponse {
  @ListField(nested(() => SsoStartResponse), { description: 'Empty when no organization has verified the domain' })
  providers!: SsoStartResponse[];
}

export class SsoStartQuery {
  @TextField({
    optional: true,
    max: MAX_RETURN_TO,
    example: '/console/start',
    description: 'Path below /console to open after the sign-in. Anything else is ignored',
  })
  return_to?: string;
}

export class OidcCallbackQuery {
  @TextField({ optional: true, max: 8_192, secret: true, description: 'The authorization code' })
  code?: string;

  @TextField({ optional: true, max: 512, secret: true, description: 'The state of the start' })
  state?: string;

  @TextField({ optional: true, max: 2_083, description: 'The issuer (RFC 9207)' })
  iss?: string;

  @TextField({ optional: true, max: 512, description: 'Why the provider did not sign the person in' })
  error?: string;
}

export class BackChannelLogoutRequest {
  @TextField({ min: 1, max: 16_384, secret: true, description: 'A logout token, signed by the provider' })
  logout_token!: string;
}
