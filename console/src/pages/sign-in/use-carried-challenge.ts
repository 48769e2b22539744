import type { Schemas } from '@operational-events/client';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

export type Challenge = Schemas['MfaChallengeResponse'];
type Method = Challenge['methods'][number];

interface Carried {
  readonly challenge: Challenge | null;
  /** The address in the console to open after the sign-in. */
  readonly next?: string | undefined;
}

const METHODS: readonly Method[] = ['totp', 'passkey', 'recovery_code'];

/**
 * Returns the challenge of the second factor that a sign-in by a company has put after the `#` of the address, and
 * removes it from there at once.
 */
export function useCarriedChallenge(): Carried {
  const router = useRouter();
  const [carried] = useState(() => carriedIn(router.latestLocation.hash));
  useEffect(() => {
    if (carried.challenge !== null) void router.navigate({ to: '.', search: true, hash: '', replace: true });
  }, [carried, router]);
  return carried;
}

function carriedIn(hash: string): Carried {
  const given = new URLSearchParams(hash);
  const token = given.get('challenge_token');
  const named = given.get('methods')?.split(',') ?? [];
  const methods = METHODS.filter((method) => named.includes(method));
  if (token === null || methods.length === 0) return { challenge: null };
  const next = given.get('next') ?? '';
  return {
    challenge: {
      mfa_required: true,
      challenge_token: token,
      challenge_expires_in: Number(given.get('expires_in')),
      methods,
    },
    next: /^\/(?![/\\])/.test(next) ? next : undefined,
  };
}
