import type { Config } from './config.js';

export const GOOGLE_ISSUER = 'https://accounts.google.com';
export const APPLE_ISSUER = 'https://appleid.apple.com';

/** The values of the environment for sign-in by providers. */
export interface SignInValues {
  readonly OAUTH_GOOGLE_CLIENT_ID: string | undefined;
  readonly OAUTH_GOOGLE_CLIENT_SECRET: string | undefined;
  readonly OAUTH_GOOGLE_ISSUER: string | undefined;
  readonly OAUTH_APPLE_CLIENT_ID: string | undefined;
  readonly OAUTH_APPLE_TEAM_ID: string | undefined;
  readonly OAUTH_APPLE_KEY_ID: string | undefined;
  readonly OAUTH_APPLE_PRIVATE_KEY: string | undefined;
  readonly OAUTH_APPLE_ISSUER: string | undefined;
}

const REQUIRED = {
  OAUTH_GOOGLE_ISSUER: ['OAUTH_GOOGLE_CLIENT_ID', 'OAUTH_GOOGLE_CLIENT_SECRET'],
  OAUTH_APPLE_ISSUER: ['OAUTH_APPLE_CLIENT_ID', 'OAUTH_APPLE_TEAM_ID', 'OAUTH_APPLE_KEY_ID', 'OAUTH_APPLE_PRIVATE_KEY'],
} as const;

/**
 * Returns the faults of the sign-in providers. A provider is on when all of its variables are set, and off when none
 * is. Anything in between is a fault, and so is plain http in production.
 */
export function signInFaults(v: SignInValues, production: boolean): string[] {
  const faults: string[] = [];
  for (const issuer of ['OAUTH_GOOGLE_ISSUER', 'OAUTH_APPLE_ISSUER'] as const) {
    const names = REQUIRED[issuer];
    const given = [...names, issuer].find((name) => v[name] !== undefined);
    if (given === undefined) continue;
    for (const name of names) if (v[name] === undefined) faults.push(`${name} is missing, though ${given} is set`);
    if (production && v[issuer]?.startsWith('http:') === true) faults.push(`${issuer} must be https in production`);
  }
  return faults;
}

export function signInProviders(v: SignInValues): Config['oauth'] {
  const { OAUTH_GOOGLE_CLIENT_ID: googleId, OAUTH_GOOGLE_CLIENT_SECRET: clientSecret } = v;
  const { OAUTH_APPLE_CLIENT_ID: appleId, OAUTH_APPLE_TEAM_ID: teamId } = v;
  const { OAUTH_APPLE_KEY_ID: keyId, OAUTH_APPLE_PRIVATE_KEY: privateKey } = v;
  return {
    google:
      googleId === undefined || clientSecret === undefined
        ? undefined
        : { issuer: v.OAUTH_GOOGLE_ISSUER ?? GOOGLE_ISSUER, clientId: googleId, clientSecret },
    apple:
      appleId === undefined || teamId === undefined || keyId === undefined || privateKey === undefined
        ? undefined
        : { issuer: v.OAUTH_APPLE_ISSUER ?? APPLE_ISSUER, clientId: appleId, teamId, keyId, privateKey },
  };
}
