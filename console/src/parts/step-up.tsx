import { Button, Group, PasswordInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { startAuthentication } from '@simplewebauthn/browser';
import { isRefusal, type Schemas } from '@operational-events/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, type SubmitEvent, use, useCallback, useRef, useState } from 'react';
import { twoFactor } from '../api/account.js';
import { api } from '../api/client.js';
import { Dialog } from './dialog.js';
import { Cancelled, Failure } from './failures.js';

/** The header that a sensitive action sends. */
interface Proof {
  readonly 'X-Step-Up-Token'?: string;
}
type Act<T> = (header: Proof) => Promise<T>;
/** Runs a sensitive action. When the service requires a proof, asks the person for it and runs the action again. */
type Prove = <T>(act: Act<T>) => Promise<T>;

const StepUpContext = createContext<Prove | null>(null);

/**
 * Wraps pages with sensitive actions. The step-up token is valid for minutes and stays in the memory of these pages.
 */
export function StepUp({ children }: { readonly children: ReactNode }) {
  const token = useRef<string | null>(null);
  const [waiting, setWaiting] = useState<{ proven: (token: string) => void; givenUp: () => void } | null>(null);

  const prove: Prove = useCallback(async (act) => {
    const header = (): Proof => (token.current === null ? {} : { 'X-Step-Up-Token': token.current });
    try {
      return await act(header());
    } catch (error) {
      if (!requiresProof(error)) throw error;
    }
    token.current = await new Promise<string>((resolve, reject) => {
      setWaiting({ proven: resolve, givenUp: () => reject(new Cancelled()) });
    });
    return act(header());
  }, []);

  const giveUp = () => {
    waiting?.givenUp();
    setWaiting(null);
  };
  return (
    <StepUpContext value={prove}>
      {children}
      <Dialog title="Is it you?" isOpen={waiting !== null} onClose={giveUp} isOnTop>
        {waiting !== null && (
          <ProofForm
            onProven={(proof) => {
              waiting.proven(proof);
              setWaiting(null);
            }}
          />
        )}
      </Dialog>
    </StepUpContext>
  );
}

export function useStepUp(): Prove {
  const prove = use(StepUpContext);
  if (prove === null) throw new Error('Sensitive acts stand inside of StepUp');
  return prove;
}

/** The refusals for a missing, incomplete or expired proof. */
const REFUSALS: readonly unknown[] = [
  'Incorrect password',
  'Sign in again to confirm this change',
  'Second factor required',
];

function requiresProof(error: unknown): boolean {
  return isRefusal(error) && error.status === 403 && REFUSALS.includes(error.detail);
}

type Way = Schemas['SecondFactor'];
const WAYS: Readonly<Record<Way, string>> = {
  totp: 'Authenticator',
  passkey: 'Passkey',
  recovery_code: 'Recovery code',
};

function ProofForm({ onProven }: { readonly onProven: (token: string) => void }) {
  const { data: factors, error } = useQuery(twoFactor);
  const ways = factors === undefined ? [] : waysOf(factors);
  const [chosen, setChosen] = useState<Way | null>(null);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const way = chosen ?? ways[0];

  const proving = useMutation({
    mutationFn: async () => onProven(await proofOf(way, password, code.trim())),
    gcTime: 0,
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    proving.mutate();
  };
  if (factors === undefined) return <Failure error={error} />;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          This changes who can get into the account. Show once more that it is yours; it holds for five minutes.
        </Text>
        <PasswordInput
          label="Current password"
          {...(way === 'passkey' && { description: 'Leave it empty if the account has none' })}
          autoComplete="current-password"
          data-autofocus
          required={way !== 'passkey'}
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {way === undefined && (
          <Text size="xs" c="dimmed">
            No password, as you sign in with Google or Apple? Sign out and in again: within five minutes nothing more is
            query.
          </Text>
        )}
        {ways.length > 1 && (
          <SegmentedControl
            aria-label="Second proof"
            fullWidth
            value={way ?? 'totp'}
            data={ways.map((value) => ({ value, label: WAYS[value] }))}
            onChange={(value) => {
              setChosen(value);
              setCode('');
              proving.reset();
            }}
          />
        )}
        {(way === 'totp' || way === 'recovery_code') && (
          <TextInput
            label={way === 'totp' ? 'Code of the authenticator' : 'A recovery code'}
            autoComplete={way === 'totp' ? 'one-time-code' : 'off'}
            inputMode={way === 'totp' ? 'numeric' : 'text'}
            required
            withAsterisk={false}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        <Failure error={proving.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={proving.isPending}>
            {way === 'passkey' ? 'Use a passkey' : 'Go on'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function waysOf({ enabled, passkey_count, recovery_codes_remaining }: Schemas['TwoFactorStatusResponse']): Way[] {
  return [
    ...(enabled ? (['totp'] as const) : []),
    ...(passkey_count > 0 ? (['passkey'] as const) : []),
    ...(recovery_codes_remaining > 0 && (enabled || passkey_count > 0) ? (['recovery_code'] as const) : []),
  ];
}

async function proofOf(way: Way | undefined, password: string, code: string): Promise<string> {
  const first = password === '' ? {} : { password };
  if (way === undefined) return tokenOf({ ...first });
  if (way === 'totp') return tokenOf({ ...first, code: code.replaceAll(' ', '') });
  if (way === 'recovery_code') return tokenOf({ ...first, recovery_code: code });
  const ceremony = await api.stepUpSession({ body: { method: 'passkey' } });
  if (!('challenge_token' in ceremony)) return ceremony.step_up_token;
  const { challenge_token, options } = ceremony;
  const credential = await startAuthentication({ optionsJSON: options as never });
  return tokenOf({ ...first, challenge_token, credential });
}

async function tokenOf(body: Schemas['StepUpRequest']): Promise<string> {
  const answer = await api.stepUpSession({ body });
  if ('step_up_token' in answer) return answer.step_up_token;
  throw new Error('The service answered a proof with a question');
}
