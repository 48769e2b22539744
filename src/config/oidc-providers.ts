import { domainToASCII } from 'node:url';
import { type CompanyRole, COMPANY_ROLES, type GroupGrant, type OidcProvider } from './config.js';
import { valueOf, valueOrFile } from './values.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** One setting of a provider: the end of its variable's name, and its texts for the listings. */
export interface OidcSetting {
  readonly suffix: string;
  readonly description: string;
  readonly shownDefault: string;
  readonly takesFile: boolean;
}

const setting = (suffix: string, shownDefault: string, description: string, takesFile = false): OidcSetting => ({
  suffix,
  description,
  shownDefault,
  takesFile,
});

const DEFAULT_SCOPES = 'openid email profile';
const DEFAULT_GROUPS_CLAIM = 'groups';

/** The placeholder of the provider's name in the listings. */
export const OIDC_NAME = '<NAME>';

/** The variables of one OpenID Connect provider, each named `OIDC_<NAME>_` and the suffix. */
export const OIDC_SETTINGS = [
  setting(
    'ISSUER',
    '',
    'where the OpenID configuration of the provider is found (https in production); NAME has capital letters, digits and underscores, and is lower-case in addresses such as /sso/oidc/name/callback',
  ),
  setting('CLIENT_ID', '', 'identifier of this service at the provider'),
  setting('CLIENT_SECRET', '', 'secret of this service at the provider', true),
  setting('LABEL', '', "text of the provider's button on the sign-in page; unset: NAME"),
  setting('ICON', '', 'image of the button: a data: URL of a PNG, SVG or WebP image, at most 16,384 characters', true),
  setting('SCOPES', DEFAULT_SCOPES, 'scopes that are requested, separated by spaces'),
  setting(
    'ALLOWED_DOMAINS',
    '',
    'comma-separated domains whose addresses may sign in, without their subdomains; unset: all',
  ),
  setting(
    'ORGANIZATION',
    '',
    'slug of the organization that people join at their first sign-in; without such an organization they sign in and join none. Create it before you set this: anybody can create an organization with a free slug, and would get these people as members',
  ),
  setting('ROLE', 'viewer', `role in that organization: ${COMPANY_ROLES.join(', ')}`),
  setting(
    'GROUPS',
    '',
    'comma-separated group=slug:role: the organization and role for members of a group; people join one organization, which is ORGANIZATION or, when none of their groups names it, that of their first group in this list; the highest role in it wins. Create the organizations before you set this',
  ),
  setting('GROUPS_CLAIM', DEFAULT_GROUPS_CLAIM, 'claim of the ID token that lists the groups'),
  setting(
    'TRUST_EMAIL',
    'false',
    'whether an address counts as verified when the provider sends no email_verified (true or false)',
  ),
] as const;

const MAX_ICON_CHARACTERS = 16_384;
const MAX_LABEL_CHARACTERS = 60;
const NAME = '[A-Z][A-Z0-9_]{0,39}';
const SUFFIXES = OIDC_SETTINGS.flatMap(({ suffix, takesFile }) => (takesFile ? [`${suffix}_FILE`, suffix] : [suffix]));
const VARIABLE = new RegExp(`^OIDC_(${NAME}?)_(${SUFFIXES.join('|')})$`);
const ICON = /^data:image\/(?:png|svg\+xml|webp)(?:;[\w=-]+)*,[\x21-\x7e]+$/;
const WORD = /^[\x21-\x7e]{1,512}$/;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/;
const SLUG = /^(?=.{1,200}$)[.-]*[A-Za-z0-9_~][A-Za-z0-9_.~-]*$/;
const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

/** Returns the variable of a setting. */
export function oidcVariable(name: string, suffix: string): string {
  return `OIDC_${name}_${suffix}`;
}

/**
 * Reads the OpenID Connect providers of the environment, in the order of their names. A provider is on when its issuer,
 * client id and client secret are set. Anything less is a fault, and so is plain http in production. Faults name the
 * variable and never repeat its value.
 */
export function oidcProviders(
  env: Environment,
  production: boolean,
): { readonly providers: OidcProvider[]; readonly faults: string[] } {
  const faults: string[] = [];
  const providers = namesIn(env).flatMap((name) => {
    const reader = new SettingsReader(env, name, production);
    const provider = reader.read();
    faults.push(...reader.faults, ...misspelled(env, name));
    return reader.faults.length === 0 ? [provider] : [];
  });
  return { providers, faults };
}

function namesIn(env: Environment): string[] {
  const names = Object.keys(env).flatMap((variable) => {
    const [, name] = VARIABLE.exec(variable) ?? [];
    return name === undefined || valueOf(env, variable) === undefined ? [] : [name];
  });
  return [...new Set(names)].sort();
}

/**
 * Returns a fault for each variable that has the prefix of a provider but is not one of its settings. A misspelled
 * `ALLOWED_DOMAINS` would otherwise let everybody in.
 */
function misspelled(env: Environment, name: string): string[] {
  return Object.keys(env)
    .filter((variable) => variable.startsWith(`OIDC_${name}_`) && valueOf(env, variable) !== undefined)
    .filter((variable) => !VARIABLE.test(variable))
    .map((variable) => `${variable} is no setting of an OpenID Connect provider`);
}

class SettingsReader {
  readonly faults: string[] = [];

  constructor(
    private readonly env: Environment,
    private readonly name: string,
    private readonly production: boolean,
  ) {}

  read(): OidcProvider {
    const [clientId, clientSecret] = [this.required('CLIENT_ID', WORD), this.required('CLIENT_SECRET', WORD)];
    return {
      name: this.name.toLowerCase(),
      issuer: this.issuer(),
      clientId,
      clientSecret,
      label: this.label(),
      icon: this.icon(),
      scopes: this.scopes(),
      allowedDomains: this.domains(),
      organization: this.organization(),
      role: this.role(),
      groups: this.groups(),
      groupsClaim:
        this.matching('GROUPS_CLAIM', /^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters') ??
        DEFAULT_GROUPS_CLAIM,
      trustsEmail: this.trustsEmail(),
    };
  }

  private issuer(): string {
    const issuer = this.value('ISSUER');
    if (issuer === undefined) return this.missing('ISSUER');
    const url = URL.parse(issuer);
    const isPlain = url?.protocol === 'http:';
    if (url === null || !(isPlain || url.protocol === 'https:') || /[?#]/.test(issuer)) {
      return this.fault('ISSUER', 'must be a URL starting with https:// or http://, without query and fragment');
    }
    if (url.username !== '' || url.password !== '') {
      return this.fault('ISSUER', 'must be a URL without user and password');
    }
    return isPlain && this.production ? this.fault('ISSUER', 'must be https in production') : issuer;
  }

  private label(): string {
    const label = this.value('LABEL') ?? this.name;
    const isText = label.length <= MAX_LABEL_CHARACTERS && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(label);
    return isText ? label : this.fault('LABEL', `must be one line of at most ${MAX_LABEL_CHARACTERS} characters`);
  }

  private icon(): string | null {
    const icon = this.value('ICON');
    if (icon === undefined) return null;
    if (icon.length <= MAX_ICON_CHARACTERS && ICON.test(icon)) return icon;
    this.fault('ICON', `must be a data: URL of a PNG, SVG or WebP image of at most ${MAX_ICON_CHARACTERS} characters`);
    return null;
  }

  private scopes(): string {
    const scopes = (this.value('SCOPES') ?? DEFAULT_SCOPES).split(/\s+/);
    const areRight = scopes.includes('openid') && scopes.length <= 20 && scopes.every((scope) => SCOPE.test(scope));
    return areRight ? scopes.join(' ') : this.fault('SCOPES', 'must be up to 20 scopes, one of them openid');
  }

  /** Returns null when every domain is allowed. */
  private domains(): string[] | null {
    if (this.value('ALLOWED_DOMAINS') === undefined) return null;
    const domains = this.list('ALLOWED_DOMAINS');
    const labels = domains.map((domain) =>
      /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) ? domainToASCII(domain.normalize('NFC')) : '',
    );
    if (labels.length > 0 && labels.every((domain) => /^[^.]+(?:\.[^.]+)+$/.test(domain))) return labels;
    this.fault('ALLOWED_DOMAINS', 'must be comma-separated domains such as example.com');
    return null;
  }

  private organization(): string | null {
    return this.matching('ORGANIZATION', SLUG, 'must be the slug of an organization') ?? null;
  }

  private role(): CompanyRole {
    const given = this.value('ROLE') ?? 'viewer';
    const role = roleOf(given);
    if (role !== undefined) return role;
    this.fault('ROLE', roleFault(given));
    return 'viewer';
  }

  private groups(): GroupGrant[] {
    return this.list('GROUPS').flatMap((entry) => {
      const [, group = '', slug = '', given = ''] = /^(.*)=([^=:]*):([^:=]*)$/.exec(entry) ?? [];
      const role = roleOf(given.trim());
      const [trimmed, organization] = [group.trim(), slug.trim()];
      if (trimmed === '' || trimmed.length > 256 || !SLUG.test(organization)) {
        this.fault('GROUPS', 'must be comma-separated group=slug:role');
        return [];
      }
      if (role === undefined) {
        this.fault('GROUPS', roleFault(given.trim()));
        return [];
      }
      return [{ group: trimmed, organization, role }];
    });
  }

  private trustsEmail(): boolean {
    const given = this.value('TRUST_EMAIL')?.toLowerCase() ?? 'false';
    if (!TRUE.has(given) && !FALSE.has(given)) this.fault('TRUST_EMAIL', 'must be true or false');
    return TRUE.has(given);
  }

  private required(suffix: string, form: RegExp): string {
    return this.isSet(suffix)
      ? (this.matching(suffix, form, 'must be 1 to 512 visible ASCII characters') ?? '')
      : this.missing(suffix);
  }

  private matching(suffix: string, form: RegExp, sentence: string): string | undefined {
    const value = this.value(suffix);
    if (value !== undefined && !form.test(value)) this.fault(suffix, sentence);
    return value;
  }

  private list(suffix: string): string[] {
    const items = (this.value(suffix) ?? '').split(',').map((item) => item.trim());
    return items.filter((item) => item !== '');
  }

  /** Returns whether the variable or its `_FILE` variant is set, even to an invalid value. */
  private isSet(suffix: string): boolean {
    const variable = oidcVariable(this.name, suffix);
    const { takesFile } = OIDC_SETTINGS.find((each) => each.suffix === suffix) ?? { takesFile: false };
    return [variable, ...(takesFile ? [`${variable}_FILE`] : [])].some((each) => valueOf(this.env, each) !== undefined);
  }

  private value(suffix: string): string | undefined {
    const variable = oidcVariable(this.name, suffix);
    const { takesFile } = OIDC_SETTINGS.find((each) => each.suffix === suffix) ?? { takesFile: false };
    if (!takesFile) return valueOf(this.env, variable);
    const given = valueOrFile(this.env, variable);
    if ('value' in given) return given.value;
    this.faults.push(given.fault);
    return undefined;
  }

  private missing(suffix: string): '' {
    return this.fault(suffix, `is missing, though another variable of OIDC_${this.name} is set`);
  }

  private fault(suffix: string, sentence: string): '' {
    const fault = `${oidcVariable(this.name, suffix)} ${sentence}`;
    if (!this.faults.includes(fault)) this.faults.push(fault);
    return '';
  }
}

function roleOf(text: string): CompanyRole | undefined {
  return COMPANY_ROLES.find((role) => role === text);
}

function roleFault(text: string): string {
  const all = `must have one of the roles ${COMPANY_ROLES.join(', ')}`;
  return text === 'owner' ? `${all}: a sign-in never makes an owner` : all;
}
