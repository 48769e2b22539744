import { Alert } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Failure } from '../../parts/failures.js';
import { LinkButton } from '../../parts/links.js';
import { PendingPage } from '../../shell/around-pages.js';
import { Card } from './card.js';
import { carriedBack, comeBack, NotSignedIn } from './oauth.js';
import { SecondFactor } from './second-factor.js';
import { useSignedInAs } from './signed-in.js';

interface Challenge {
  readonly challenge: Schemas['MfaChallengeResponse'];
  readonly next: string | undefined;
}

/** The page to which providers send people back. */
export function OAuthCallbackPage() {
  const router = useRouter();
  const [carried] = useState(() => carriedBack(router.latestLocation));
  const [challenged, setChallenged] = useState<Challenge | null>(null);
  const hasBegun = useRef(false);
  const signedInAs = useSignedInAs();

  const finish = useMutation({
    mutationFn: async () => {
      // The code is valid once. It is removed from the address before anything else.
      await router.navigate({ to: '/oauth/callback', search: {}, replace: true });
      const { answer, next } = await comeBack(carried);
      if ('mfa_required' in answer) return setChallenged({ challenge: answer, next });
      await signedInAs(answer, next);
    },
  });
  const { mutate } = finish;
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    mutate();
  }, [mutate]);

  if (challenged !== null) {
    const { challenge, next } = challenged;
    return (
      <SecondFactor
        challenge={challenge}
        onSignedIn={(tokens) => signedInAs(tokens, next)}
        onBack={() => void router.navigate({ to: '/login', replace: true })}
      />
    );
  }
  if (finish.error === null) return <PendingPage />;
  return (
    <Card title="You are not signed in">
      {finish.error instanceof NotSignedIn ? (
        <Alert color="red" variant="light" role="alert">
          {finish.error.message}
        </Alert>
      ) : (
        <Failure error={finish.error} />
      )}
      <LinkButton to="/login">Back to the sign-in</LinkButton>
    </Card>
  );
}
