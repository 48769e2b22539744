import {
  EnumField,
  jsonTextOr,
  KindField,
  object,
  TextField,
  UrlField,
} from '../../../platform/http/validation/index.js';
import { PROVIDER_NAMES, type ProviderName } from './providers/provider.js';

const noFragment = (url: string): string | undefined =>
  url.includes('#') ? 'redirect_uri must not have a fragment' : undefined;

const REDIRECT = { check: noFragment, example: 'https://app.example.com/oauth/callback' };

const MAX_RAW_USER_TEXT = 8_192;
const RAW_USER = jsonTextOr(object(), MAX_RAW_USER_TEXT);

export class ProviderResponse {
  @EnumField(PROVIDER_NAMES, { description: 'Who is asked to say who somebody is' })
  provider!: ProviderName;

  @TextField({ description: 'Client identifier of this service at the provider' })
  client_id!: string;
}

export class AuthorizeRequest {
  @EnumField(PROVIDER_NAMES, { description: 'Who is asked to say who somebody is' })
  provider!: ProviderName;

  @UrlField({
    ...REDIRECT,
    description: 'Where the provider sends the browser back to; registered with the provider. Apple posts a form to it',
  })
  redirect_uri!: string;
}

export class AuthorizeResponse {
  @TextField({ description: 'Send the browser here' })
  authorization_url!: string;

  @TextField({ description: 'The callback must carry the same' })
  state!: string;

  @TextField({ description: 'For the login; used once, within 10 minutes' })
  nonce!: string;

  @TextField({ description: 'For the login; keep it where only the browser that started can read it' })
  code_verifier!: string;
}

export class OAuthLoginRequest {
  @EnumField(PROVIDER_NAMES, { description: 'Who is asked to say who somebody is' })
  provider!: ProviderName;

  @TextField({ min: 1, max: 4096, secret: true, description: 'The code of the callback' })
  code!: string;

  @UrlField({ ...REDIRECT, description: 'The one the authorization request had' })
  redirect_uri!: string;

  @TextField({ min: 1, max: 512, secret: true, description: 'The one the authorization request had; accepted once' })
  nonce!: string;

  @TextField({
    optional: true,
    nullable: true,
    min: 43,
    max: 128,
    pattern: /^[\w.~-]+$/,
    secret: true,
    description: 'Required with a nonce of POST /v1/auth/oauth/authorize, and with a code challenge of your own',
  })
  code_verifier?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    max: 512,
    secret: true,
    description: 'The state of the callback; compared with that of the start when sent',
  })
  state?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    max: 2083,
    description: 'The iss of the callback, where the provider sends one; must be the issuer when sent',
  })
  iss?: string | null;

  @KindField(RAW_USER, {
    optional: true,
    nullable: true,
    description:
      'The user object that Apple posts at the very first sign-in, or its JSON text; only the name is taken from it',
    example: { name: { firstName: 'Ada', lastName: 'Lovelace' } },
  })
  raw_user?: Record<string, unknown> | null;
}
