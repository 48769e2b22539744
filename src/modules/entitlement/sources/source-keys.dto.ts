import { API_KEY_SCOPES, type ApiKeyScopeName } from '../../access/index.js';
import {
  DateTimeField,
  enumOf,
  inFuture,
  IntField,
  ListField,
  TextField,
  url,
  NameField,
} from '../../../platform/http/validation/index.js';
import { ApiKeyResponse } from '../api-keys/index.js';

const NAME = { example: 'Production' };
const EXPIRY = 'Must lie ahead; left out or null: does not expire';

export class IssueKeyRequest {
  @NameField({ ...NAME, description: 'Name of the key' })
  name!: string;

  @ListField(enumOf(API_KEY_SCOPES), {
    min: 1,
    max: 2,
    optional: true,
    default: ['events:write'],
    description: 'events:write when left out',
  })
  scopes!: ApiKeyScopeName[];

  @DateTimeField({ optional: true, nullable: true, check: inFuture('expires_at'), description: EXPIRY })
  expires_at?: Date | null;
}

/** Accepts what browsers send as `Origin`: scheme, host and port, and nothing else. */
const origin = url({
  max: 300,
  check: (text) =>
    isOrigin(text) ? undefined : 'an origin is a scheme, a host and perhaps a port, such as https://shop.example.com',
});

function isOrigin(text: string): boolean {
  const { pathname, search, hash, username, password } = new URL(text);
  const isBare = pathname === '/' && `${search}${hash}${username}${password}` === '';
  return isBare && !/[?#@*]/.test(text);
}

/** Returns the origin as browsers write it: in lower case, without the port that the scheme implies. */
export function originOf(text: string): string {
  return new URL(text).origin;
}

const ORIGINS = { min: 1, max: 50, example: ['https://shop.example.com'] };
const RATE = { min: 1, max: 10_000, description: 'Kept for clients, not enforced' };

export class IssueBrowserKeyRequest {
  @NameField({ ...NAME, description: 'Name of the key' })
  name!: string;

  @ListField(origin, { ...ORIGINS, description: 'Origins of the pages that may use the key' })
  allowed_origins!: string[];

  @IntField({ ...RATE, optional: true, default: 60 })
  rate_limit_per_minute!: number;

  @DateTimeField({ optional: true, nullable: true, check: inFuture('expires_at'), description: EXPIRY })
  expires_at?: Date | null;
}

export class ChangeBrowserKeyRequest {
  @ListField(origin, { ...ORIGINS, optional: true, description: 'Replaces the origins' })
  allowed_origins?: string[];

  @IntField({ ...RATE, optional: true })
  rate_limit_per_minute?: number;
}

export class BrowserKeyResponse extends ApiKeyResponse {
  @ListField(url(), { description: 'Pages of these origins may send with the key' })
  override allowed_origins!: string[];

  @IntField(RATE)
  override rate_limit_per_minute!: number;
}

export class CreatedBrowserKeyResponse extends BrowserKeyResponse {
  @TextField({ description: 'The key itself; shown in this answer and never again' })
  key!: string;
}
