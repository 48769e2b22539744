import { Button, SegmentedControl, Text, TextInput } from '@mantine/core';
import { startAuthentication } from '@simplewebauthn/browser';
import type { Schemas, Tokens } from '@operational-events/client';
import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { signInApi } from '../../api/sign-in-client.js';
import { Failure } from '../../parts/failures.js';
import { Card } from './card.js';

type Method = Schemas['MfaChallengeResponse']['methods'][number];

const NAMES: Readonly<Record<Method, string>> = {
  totp: 'Authenticator',
  passkey: 'Passkey',
  recovery_code: 'Recovery code',
};

interface Props {
  readonly challenge: Schemas['MfaChallengeResponse'];
  readonly onSignedIn: (tokens: Tokens) => Promise<void>;
  readonly onBack: () => void;
}

export function SecondFactor({ challenge: { challenge_token, methods }, onSignedIn, onBack }: Props) {
  const [method, setMethod] = useState<Method>(methods[0] ?? 'totp');
  const [code, setCode] = useState('');

  const prove = useMutation({
    mutationFn: async () => onSignedIn(await proved(method, challenge_token, code.trim())),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    prove.mutate();
  };
  return (
    <Card title="One more step" lead="Your account asks for a second proof that it is you.">
      {methods.length > 1 && (
        <SegmentedControl
          aria-label="Way to prove it"
          fullWidth
          value={method}
          data={methods.map((each) => ({ value: each, label: NAMES[each] }))}
          onChange={(value) => {
            setMethod(value);
            setCode('');
            prove.reset();
          }}
        />
      )}
      <form onSubmit={submit}>
        {method === 'totp' && (
          <TextInput
            label="Code of the authenticator"
            description="Six digits, new every half minute"
            inputMode="numeric"
            autoComplete="one-time-code"
            pattern="[0-9 ]{6,7}"
            required
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {method === 'recovery_code' && (
          <TextInput
            label="Recovery code"
            description="Each code works once"
            autoComplete="off"
            required
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {method === 'passkey' && <Text size="sm">The browser asks you for a passkey of this account.</Text>}
        <Failure error={prove.error} />
        <Button type="submit" fullWidth mt="md" loading={prove.isPending}>
          {method === 'passkey' ? 'Use a passkey' : 'Continue'}
        </Button>
      </form>
      <Button variant="subtle" onClick={onBack}>
        Sign in as somebody else
      </Button>
    </Card>
  );
}

async function proved(method: Method, challenge_token: string, code: string): Promise<Tokens> {
  switch (method) {
    case 'totp':
      return signInApi.verifyTotp({ body: { challenge_token, code: code.replaceAll(' ', '') } });
    case 'recovery_code':
      return signInApi.verifyRecoveryCode({ body: { challenge_token, recovery_code: code } });
    case 'passkey': {
      const ceremony = await signInApi.createMfaPasskeyOptions({ body: { challenge_token } });
      const credential = await startAuthentication({ optionsJSON: ceremony.options as never });
      return signInApi.verifyMfaPasskey({
        body: { challenge_token: ceremony.challenge_token, credential },
      });
    }
  }
}
